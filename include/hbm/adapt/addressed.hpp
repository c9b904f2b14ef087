#pragma once

/// Pointers on a manager: a range of addresses, allocated and freed by address.

#include <hbm/adapt/address_range.hpp>
#include <hbm/adapt/detail/address_failure.hpp>
#include <hbm/adapt/detail/address_use.hpp>
#include <hbm/adapt/detail/addressed_manager.hpp>
#include <hbm/adapt/detail/failure_at.hpp>
#include <hbm/adapt/detail/poison_guard.hpp>
#include <hbm/events/statistics.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace hbm {

/// A manager and a range of addresses `[base, base + capacity)`, which together give out pointers.
///
///     hbm::addressed<hbm::manager<hbm::best_fit>> memory{{base, bytes}};
///     void* const weights = memory.allocate_or_null(4096);
///     memory.deallocate(weights);
///
/// `Memory` is where the addresses come from: `address_range`, which the caller owns, or `mapped_range`, which is the
/// operating system's and owned by this. Pointers cost a table of 16 to 32 bytes for each live buffer, on the host; the
/// memory itself holds no metadata. Calls cost what the manager's cost, and one look-up in that table.
///
/// Where the manager may move buffers (a placement with `compacting`), it does so to make room. Then the bytes move as
/// well, by `range_device` or by the manager's own device, and the owner is told: see `on_move`. Who cannot follow a
/// move asks for `allocate_fixed`, or pins. Without `compacting` nothing moves, and this has no such calls.
///
/// A wrong pointer is an error, not undefined, with a limit that every interface of pointers has: a pointer that was
/// freed, and whose address was then given out again, is the new owner's pointer. Moved only, and what was moved from
/// can only be assigned to or destroyed; one thread at a time. Under AddressSanitizer an access to memory that nobody
/// was given is reported.
template <class Manager, address_memory Memory = address_range>
class addressed {
    using parts = addressed_manager<Manager>;
    using book = typename parts::book;

public:
    /// The manager inside: that of the user, with a device and an observer where buffers may move.
    using manager_type = typename parts::type;
    using options = typename Manager::options;
    using quanta = typename parts::quanta;

    /// Whether buffers may move.
    static constexpr bool moves = parts::moves;

    /// Manages `memory` as `spec` says: its quantum, and of its capacity no more than there are addresses; 0 is all of
    /// them. Where the spec cannot be used every request fails, see `manager::unusable`. O(1), but under
    /// AddressSanitizer O(bytes).
    explicit addressed(Memory memory, memory_spec spec = {}, const options& given = {},
                       call_site made = call_site::here())
        : memory_(static_cast<Memory&&>(memory)), range_(limited(memory_.range(), spec.capacity)), free_memory_(range_),
          manager_(limited(spec, range_), parts::options(given, range_), made) {}

    // -- buffers --

    /// Allocates a buffer and returns its first address, which is a multiple of `alignment`, a power of two, and of
    /// `default_alignment()`. No bytes are a buffer of one quantum with an address of its own. Fails where the manager
    /// refuses (`call_failed`), and with `no_power_of_two` or `base_is_aligned_to_less`; nothing is changed then. Cost
    /// of the manager's `allocate`.
    [[nodiscard]] address_result<void*> allocate(std::uint64_t bytes, std::uint64_t alignment = 0) {
        return allocate(request{.bytes = bytes, .alignment = alignment});
    }
    /// The same with a name for people, or with all that a request says.
    [[nodiscard]] address_result<void*> allocate(std::uint64_t bytes, std::uint64_t alignment, const char* label) {
        return allocate(request{.bytes = bytes, .alignment = alignment, .label = manager_.tag_of(label)});
    }
    [[nodiscard]] address_result<void*> allocate(request asked) {
        if (asked.alignment > 1) {
            if (const address_error what = error_of_alignment(asked.alignment); what != address_error::none)
                return refuse(asked, what);
            // Each offset is a multiple of the quantum: the manager has a shorter way where no more is asked for.
            if (asked.alignment <= manager_.spec().quantum) asked.alignment = 0;
        }
        const result<buffer> made = manager_.allocate(asked);
        if (!made) [[unlikely]]
            return refuse(made.error());
        const auto& map = manager_.state().blocks.map();
        const quanta offset = map.offset(made->index);
        known().table.insert(offset, made->index);
        const std::uint64_t granted = in_bytes(map.granted(made->index));
        use_.allocated(granted);
        void* const begin = address(in_bytes(offset));
        if (range_.on_host) unpoison(begin, granted);
        return begin;
    }
    /// The same where a null pointer says that it failed; `last_failure` says why.
    [[nodiscard]] void* allocate_or_null(std::uint64_t bytes, std::uint64_t alignment = 0) {
        return allocate(bytes, alignment).value_or(nullptr);
    }

    /// Allocates a buffer that never moves: it is pinned from the start. Where nothing moves that is each buffer.
    [[nodiscard]] address_result<void*> allocate_fixed(const request& asked) {
        const address_result<void*> made = allocate(asked);
        if constexpr (moves)
            if (made) static_cast<void>(manager_.pin(*handle_of(*made)));
        return made;
    }
    [[nodiscard]] address_result<void*> allocate_fixed(std::uint64_t bytes, std::uint64_t alignment = 0) {
        return allocate_fixed(request{.bytes = bytes, .alignment = alignment});
    }

    /// Frees the buffer that begins at `begin`, pinned or not. Fails, and changes nothing, if no live buffer begins
    /// there: `null_pointer`, `outside`, `inside_a_buffer`, or `not_live` after a double free. Cost of the manager's
    /// `free`; O(blocks) for a wrong pointer.
    address_result<done> deallocate(void* begin) {
        const block_index block = find(begin);
        if (block == no_block) [[unlikely]]
            return refuse(begin);
        const auto& map = manager_.state().blocks.map();
        const buffer freed = handle(block);
        if constexpr (moves)
            while (map.pins(block) != 0) static_cast<void>(manager_.unpin(freed));
        // While a move of it has stopped in the middle the block begins elsewhere.
        if (range_.on_host) poison(address(in_bytes(map.offset(block))), in_bytes(map.size(block)));
        use_.freed(in_bytes(map.granted(block)));
        known().table.erase(manager_.state().in_quanta(offset_of(begin)));
        static_cast<void>(manager_.free(freed));
        return done{};
    }

    /// The bytes of the buffer that begins at `begin`, as granted: what was asked for, rounded up to the quantum. Fails
    /// as `deallocate` does. O(1) on average.
    [[nodiscard]] address_result<std::uint64_t> size_of(const void* begin) const {
        const block_index block = find(begin);
        if (block == no_block) [[unlikely]]
            return failure_of(begin);
        return in_bytes(manager_.state().blocks.map().granted(block));
    }
    /// The manager's handle of the buffer that begins at `begin`, for its reports. Fails as above. O(1) on average.
    [[nodiscard]] address_result<buffer> handle_of(const void* begin) const {
        const block_index block = find(begin);
        if (block == no_block) [[unlikely]]
            return failure_of(begin);
        return handle(block);
    }
    /// The first address of a buffer; null if the handle is not good. O(1).
    [[nodiscard]] void* address_of(buffer held) const noexcept {
        return manager_.check(held) == error::none ? address(manager_.where(held).offset) : nullptr;
    }

    // -- where buffers may move --

    /// Calls `tell` for each buffer that moves from now on; null calls nobody. O(1).
    void on_move(move_callback tell, void* context = nullptr) noexcept requires moves {
        known().tell = tell;
        known().context = context;
    }
    /// The buffer that begins at `begin` stays where it is until it has been unpinned as often. Fails as `deallocate`
    /// does, and for too many pins. O(1) on average.
    address_result<done> pin(void* begin) requires moves {
        return on_handle(begin, [this](buffer held) { return manager_.pin(held); });
    }
    address_result<done> unpin(void* begin) requires moves {
        return on_handle(begin, [this](buffer held) { return manager_.unpin(held); });
    }
    /// Moves buffers towards as few and as long holes as the pinned ones allow, see `manager::compact`: up to `budget`
    /// bytes, or the longest buffer if that is more, as no buffer is left in two places. A budget of 0 asks how much
    /// there is to do.
    compaction compact(std::uint64_t budget) requires moves {
        std::uint64_t longest = 0;
        for (const block_view& each : manager_.blocks())
            if (each.where.size > longest) longest = each.where.size;
        return manager_.compact(budget == 0 || budget > longest ? budget : longest);
    }
    /// Finishes a move in which a device of the user's own has failed; until then the bytes are in two places, and the
    /// buffer has its old address. See `manager::finish_moves`.
    address_result<done> finish_moves() requires moves {
        const result<done> finished = manager_.finish_moves();
        return finished ? address_result<done>(done{}) : address_result<done>(refuse(finished.error()));
    }

    // -- looking --

    /// Why the latest call failed that did.
    [[nodiscard]] const address_failure& last_failure() const noexcept { return last_failure_; }
    /// The first address, and the bytes from there on that can be given out.
    [[nodiscard]] void* base() const noexcept { return range_.base; }
    [[nodiscard]] std::uint64_t capacity() const noexcept { return manager_.capacity_bytes(); }
    /// The power of two that every address which is given out is a multiple of: the quantum, or less if the base is no
    /// multiple of that; and the largest that can be asked for, that of the base.
    [[nodiscard]] std::uint64_t default_alignment() const noexcept {
        const std::uint64_t quantum = manager_.spec().quantum;
        return quantum < range_.alignment() ? quantum : range_.alignment();
    }
    [[nodiscard]] std::uint64_t largest_alignment() const noexcept { return range_.alignment(); }
    /// The manager inside, for `explain`, `dump` and figures.
    [[nodiscard]] const manager_type& manager() const noexcept { return manager_; }
    /// How much was allocated and freed so far.
    [[nodiscard]] const address_use& use() const noexcept { return use_; }
    /// The figures of `device.memory_stats()`. Cost of the manager's `largest_free_bytes`.
    [[nodiscard]] statistics figures() const {
        statistics found;
        found.look_at(manager_);
        found.num_allocs = use_.allocations;
        found.largest_alloc_size = use_.largest;
        found.peak_bytes_in_use = use_.peak;
        return found;
    }
    /// From now on the peak, the largest and the number of allocations are counted anew. O(1).
    void clear_peaks() noexcept { use_.clear_peaks(); }

    /// Room for `blocks` live buffers without asking the host again; see `manager::reserve_metadata`.
    void reserve_metadata(std::size_t blocks) {
        manager_.reserve_metadata(blocks);
        known().table.reserve(blocks);
    }

private:
    [[nodiscard]] static address_range limited(address_range given, std::uint64_t capacity) noexcept {
        given = given.usable();
        if (capacity != 0 && capacity < given.bytes) given.bytes = capacity;
        return given;
    }
    [[nodiscard]] static memory_spec limited(memory_spec spec, const address_range& range) noexcept {
        spec.capacity = range.bytes;
        return spec;
    }

    [[nodiscard]] book& known() noexcept {
        if constexpr (moves)
            return parts::book_of(manager_);
        else
            return book_;
    }
    [[nodiscard]] const book& known() const noexcept { return const_cast<addressed&>(*this).known(); }

    [[nodiscard]] std::uint64_t in_bytes(quanta size) const noexcept { return manager_.state().bytes(size); }
    [[nodiscard]] void* address(std::uint64_t offset) const noexcept {
        return reinterpret_cast<void*>(range_.begin_address() + static_cast<std::uintptr_t>(offset));
    }
    [[nodiscard]] std::uint64_t offset_of(const void* given) const noexcept {
        return std::uint64_t{reinterpret_cast<std::uintptr_t>(given)} - range_.begin_address();
    }
    /// The live buffer that begins there; `no_block` if there is none.
    [[nodiscard]] block_index find(const void* begin) const noexcept {
        const std::uint64_t offset = offset_of(begin);
        if (offset >= manager_.capacity_bytes() || (offset & (manager_.spec().quantum - 1)) != 0) return no_block;
        return known().table.find(manager_.state().in_quanta(offset));
    }
    [[nodiscard]] buffer handle(block_index block) const noexcept {
        return buffer::of(block, manager_.state().blocks.map().generation(block), manager_.state().salt);
    }
    template <class Act>
    address_result<done> on_handle(void* begin, Act act) {
        const block_index block = find(begin);
        if (block == no_block) return refuse(begin);
        const result<done> outcome = act(handle(block));
        return outcome ? address_result<done>(done{}) : address_result<done>(refuse(outcome.error()));
    }

    // -- failures --

    [[nodiscard]] address_error error_of_alignment(std::uint64_t alignment) const noexcept {
        if (!std::has_single_bit(alignment)) return address_error::no_power_of_two;
        const bool fits = alignment <= range_.alignment() || range_.base == nullptr;
        return fits ? address_error::none : address_error::base_is_aligned_to_less;
    }
    [[gnu::cold]] const address_failure& refuse(const request& asked, address_error what) {
        failure why{.reason = error::bad_alignment,
                    .requested = asked.bytes,
                    .free = manager_.free_bytes(),
                    .largest_free = manager_.largest_free_bytes(),
                    .label = asked.label,
                    .alignment = asked.alignment};
        refuse(why);
        last_failure_.what = what;
        return last_failure_;
    }
    [[gnu::cold]] const address_failure& refuse(const failure& why) {
        last_failure_ = failure_in(range_, why);
        last_failure_.what = address_error::call_failed;
        return last_failure_;
    }
    [[gnu::cold]] const address_failure& refuse(const void* given) { return last_failure_ = failure_of(given); }

    [[nodiscard]] address_failure failure_of(const void* given) const { return failure_at(manager_, range_, given); }

    Memory memory_;
    address_range range_;
    poison_guard free_memory_;  // ends before the memory does
    manager_type manager_;
    [[no_unique_address]] std::conditional_t<moves, no_events, book> book_;
    address_use use_;
    address_failure last_failure_;
};

}  // namespace hbm
