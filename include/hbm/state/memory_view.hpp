#pragma once

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/blocks/tag_names.hpp>
#include <hbm/core/error.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstdint>
#include <span>

namespace hbm::inline v0 {

/// Returns an error if a handle is invalid for the memory of this salt.
template <class Quanta>
[[nodiscard]] constexpr error check_buffer(const block_map<Quanta>& map, std::uint32_t salt, buffer held) noexcept {
    if (held.salt == salt && map.is_plain(held.index, held.generation)) [[likely]]
        return error::none;
    if (!held) return error::stale_handle;
    if (held.salt != salt) return error::foreign_handle;
    if (!map.is_live(held.index, held.generation)) return error::stale_handle;
    return map.kind(held.index) == block_kind::data ? error::none : error::wrong_kind;
}
[[nodiscard]] constexpr error check_program(const memory_records& records, program held) noexcept {
    if (!held) return error::stale_handle;
    if (held.salt != records.salt) return error::foreign_handle;
    const bool good = held.index < records.programs.size() && held.generation % 2 == 1 &&
                      records.programs[held.index].generation == held.generation;
    return good ? error::none : error::stale_handle;
}

template <class Quanta>
class largest_free_query {
public:
    [[nodiscard]] virtual constexpr Quanta largest_free() const = 0;

protected:
    constexpr ~largest_free_query() = default;
};
template <placement P>
class largest_free_of final : public largest_free_query<typename P::quanta> {
public:
    constexpr explicit largest_free_of(const P& blocks) : blocks_(blocks) {}
    [[nodiscard]] constexpr typename P::quanta largest_free() const override { return blocks_.largest_free(); }

private:
    const P& blocks_;
};

/// The traits of scratch: reserved at the bottom, shared by programs.
struct scratch_traits {
    bool reserved = false;
    bool shared = false;
};
template <class P>
[[nodiscard]] consteval scratch_traits scratch_traits_of() noexcept {
    if constexpr (reserves<P>)
        return {true, P::sharing == scratch_sharing::shared};
    else
        return {};
}

namespace detail {

/// Returns the items of a vector or queue. `Waits` is a dependent type, so that only callers instantiate the span.
template <class Waits, class Items>
[[nodiscard]] constexpr std::span<const typename Items::value_type> span_of(const Items& items) noexcept {
    return {items.begin(), items.size()};
}

}  // namespace detail

/// A read-only view of a memory for observers and reports, valid until its next change. Sizes and offsets in bytes.
/// Depends only on the width of the quanta, so that its users are compiled once for all placements and policies.
/// Cost: O(1) unless stated.
template <class Quanta>
class memory_view {
public:
    using quanta = Quanta;

    constexpr memory_view(const block_map<Quanta>& map, const memory_records& records, scratch_traits scratch,
                          const tag_names& names, const largest_free_query<Quanta>* largest = nullptr)
        : map_(map), records_(records), names_(names), largest_(largest), scratch_(scratch) {}

    /// Returns an error if the handle is invalid.
    [[nodiscard]] constexpr error check(buffer held) const noexcept { return check_buffer(map_, records_.salt, held); }
    [[nodiscard]] constexpr error check(program held) const noexcept { return check_program(records_, held); }

    /// Returns the range of a buffer, or of a program's code; empty if the handle is invalid.
    /// After an interrupted move: both places and all between them; see `pieces`.
    [[nodiscard]] constexpr extent where(buffer held) const noexcept {
        return check(held) == error::none ? where(held.index) : extent{};
    }
    /// Returns the range of a program's code, where the runtime copies it after each load; empty if not in memory.
    [[nodiscard]] constexpr extent where(program held) const noexcept {
        if (check(held) != error::none) return {};
        const program_record& record = about(held);
        return record.resident && record.code_block != no_block ? where(record.code_block) : extent{};
    }
    [[nodiscard]] constexpr extent where(block_index block) const noexcept {
        return {bytes(map_.offset(block)), bytes(map_.size(block))};
    }
    /// Returns the ranges of a buffer's bytes, in order: one, or up to three after an interrupted move.
    /// One of them may be in the bounce region; none if the handle is invalid.
    [[nodiscard]] constexpr buffer_pieces pieces(buffer held) const noexcept {
        buffer_pieces ranges;
        if (check(held) != error::none) return ranges;
        if (records_.moving.block == held.index) return records_.moving.pieces(records_.spec);
        ranges.add(where(held.index));
        return ranges;
    }
    /// Returns the interrupted move; false if there is none.
    [[nodiscard]] constexpr const pending_move& moving() const noexcept { return records_.moving; }
    /// Returns the granted bytes of a buffer; 0 if the handle is invalid.
    [[nodiscard]] constexpr std::uint64_t granted(buffer held) const noexcept {
        return check(held) == error::none ? bytes(map_.granted(held.index)) : 0;
    }
    /// Returns the number of pins of a buffer; 0 if the handle is invalid.
    [[nodiscard]] constexpr std::uint32_t pins(buffer held) const noexcept {
        return check(held) == error::none ? map_.pins(held.index) : 0;
    }
    /// Returns the record of a program; an empty record of generation 0 if the handle is invalid.
    [[nodiscard]] constexpr const program_record& about(program held) const noexcept {
        return check(held) == error::none ? records_.programs[held.index] : no_program;
    }

    /// Returns all live blocks in address order.
    [[nodiscard]] constexpr block_range<Quanta> blocks() const noexcept {
        return {map_, shift(), records_.salt, false};
    }
    /// Returns all live blocks and holes in address order.
    [[nodiscard]] constexpr block_range<Quanta> blocks_and_holes() const noexcept {
        return {map_, shift(), records_.salt, true};
    }
    /// Returns a record for each slot; slots of ended programs have an even generation.
    [[nodiscard]] constexpr std::span<const program_record> programs() const noexcept {
        return detail::span_of<Quanta>(records_.programs);
    }
    /// Returns the handle of the program in a slot; an empty handle if there is none.
    [[nodiscard]] constexpr program handle_of(std::uint32_t slot) const noexcept {
        const bool there = slot < records_.programs.size() && records_.programs[slot].generation % 2 == 1;
        return there ? program{slot, records_.programs[slot].generation, records_.salt} : program{};
    }

    /// Returns the capacity of the spec less `top_reserved`, rounded down to the quantum.
    [[nodiscard]] constexpr std::uint64_t capacity_bytes() const noexcept { return bytes(map_.capacity()); }
    /// Returns the sum of the holes.
    [[nodiscard]] constexpr std::uint64_t free_bytes() const noexcept { return bytes(map_.free()); }
    /// Returns the sum of granted bytes, programs and reservation included.
    [[nodiscard]] constexpr std::uint64_t live_bytes() const noexcept { return bytes(map_.live()); }
    /// Returns the peak of `live_bytes()`.
    [[nodiscard]] constexpr std::uint64_t peak_live_bytes() const noexcept { return bytes(map_.peak_live()); }
    /// Returns the end of the highest live block.
    [[nodiscard]] constexpr std::uint64_t highest_end_bytes() const noexcept { return bytes(map_.highest_end()); }
    /// Returns the longest contiguous free run.
    /// Cost: that of the placement's `largest_free` for observers and reports; otherwise O(blocks).
    [[nodiscard]] constexpr std::uint64_t largest_free_bytes() const {
        // A placement may keep holes apart that touch; they are one run here. The view does not know the placement, and
        // walks the blocks unless it was given a query that does.
        if (largest_ != nullptr) return bytes(largest_->largest_free());
        Quanta largest = 0;
        basic_extent<Quanta> run;
        for (block_index block = map_.first(); block != no_block; block = map_.next(block)) {
            if (!map_.is_hole(block)) continue;
            if (run.end() != map_.offset(block)) run = {map_.offset(block), 0};
            run.size = static_cast<Quanta>(run.size + map_.size(block));
            if (run.size > largest) largest = run.size;
        }
        return bytes(largest);
    }
    /// Returns the scratch reserved at the bottom; 0 if the placement cannot reserve.
    [[nodiscard]] constexpr std::uint64_t reserved_bytes() const noexcept {
        const block_index bottom = map_.first();
        return has_reservation(bottom) ? bytes(map_.size(bottom)) : 0;
    }
    /// Returns the possible growth of the reservation without relief.
    [[nodiscard]] constexpr std::uint64_t reservable_bytes() const noexcept {
        // The holes right above the reservation, or at the bottom if nothing is reserved yet.
        if (!scratch_.reserved) return 0;
        block_index block = map_.first();
        if (has_reservation(block)) block = map_.next(block);
        std::uint64_t run = 0;
        for (; block != no_block && map_.is_hole(block); block = map_.next(block)) run += bytes(map_.size(block));
        return run;
    }
    /// Returns true if the scratch of programs is reserved at the bottom of memory, or shared.
    [[nodiscard]] constexpr bool reserves_scratch() const noexcept { return scratch_.reserved; }
    [[nodiscard]] constexpr bool shares_scratch() const noexcept { return scratch_.shared; }

    /// Returns the runs in flight, oldest first.
    [[nodiscard]] constexpr std::span<const flight> flights() const noexcept {
        return detail::span_of<Quanta>(records_.flights);
    }
    /// Returns the fence of the latest run.
    [[nodiscard]] constexpr fence issued() const noexcept { return records_.issued; }
    /// Returns the fence of the latest run that is over.
    [[nodiscard]] constexpr fence reached() const noexcept { return records_.reached; }
    [[nodiscard]] constexpr std::span<const deferred_free> deferred() const noexcept {
        return detail::span_of<Quanta>(records_.deferred);
    }

    [[nodiscard]] constexpr const totals& done_so_far() const noexcept { return records_.done; }
    [[nodiscard]] constexpr const memory_spec& spec() const noexcept { return records_.spec; }
    /// Returns the name of a tag, or "". Valid until the manager's next new name.
    [[nodiscard]] constexpr const char* name_of(tag label) const noexcept { return names_.name(label); }
    [[nodiscard]] constexpr const block_map<Quanta>& map() const noexcept { return map_; }

private:
    [[nodiscard]] constexpr unsigned shift() const noexcept { return records_.quantum_shift; }
    [[nodiscard]] constexpr std::uint64_t bytes(Quanta size) const noexcept { return std::uint64_t{size} << shift(); }
    [[nodiscard]] constexpr bool has_reservation(block_index lowest) const noexcept {
        return lowest != no_block && map_.kind(lowest) == block_kind::reservation;
    }

    const block_map<Quanta>& map_;
    const memory_records& records_;
    const tag_names& names_;
    const largest_free_query<Quanta>* largest_;
    scratch_traits scratch_;
};

}  // namespace hbm::inline v0
