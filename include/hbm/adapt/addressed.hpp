#pragma once

#include <hbm/adapt/address_range.hpp>
#include <hbm/adapt/detail/address_book.hpp>
#include <hbm/adapt/detail/address_failure.hpp>
#include <hbm/adapt/poison.hpp>
#include <hbm/events/statistics.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hbm::inline v0 {

/// Sums of allocations and frees, in bytes as granted. A value.
struct address_use {
    std::uint64_t allocations = 0;      ///< count since the peaks were cleared
    std::uint64_t largest = 0;          ///< largest allocation since then
    std::uint64_t peak = 0;             ///< most bytes in use at a time since then
    std::uint64_t allocated_bytes = 0;  ///< total since the beginning
    std::uint64_t freed_bytes = 0;      ///< total since the beginning

    [[nodiscard]] constexpr std::uint64_t in_use() const noexcept { return allocated_bytes - freed_bytes; }

    constexpr void allocated(std::uint64_t bytes) noexcept {
        ++allocations;
        allocated_bytes += bytes;
        if (bytes > largest) largest = bytes;
        if (in_use() > peak) peak = in_use();
    }
    /// Counts an output that took over a donated buffer, whose bytes count as freed.
    constexpr void taken_over(std::uint64_t bytes) noexcept { allocated_bytes += bytes; }
    constexpr void freed(std::uint64_t bytes) noexcept { freed_bytes += bytes; }
    constexpr void clear_peaks() noexcept {
        allocations = largest = 0;
        peak = in_use();
    }

    friend constexpr bool operator==(const address_use&, const address_use&) = default;
};

/// A manager of the addresses `[base, base + capacity)` that returns pointers.
///
///     hbm::addressed<hbm::manager<hbm::best_fit>> memory{{base, bytes}};
///     void* const weights = memory.allocate_or_null(4096);
///     memory.deallocate(weights);
///
/// `Memory` supplies the addresses: an `address_range` of the caller, or an owned `mapped_range`. Metadata is on the
/// host.
/// With `compacting`, buffers move to make room, copied by `range_device` or the manager's own device.
/// Follow moves by `on_move`, or prevent them by `allocate_fixed` or `pin`, which exist only then.
///
/// A wrong pointer is an error, not undefined behaviour, unless its address was allocated again since it was freed.
/// AddressSanitizer reports accesses to memory that is not allocated.
/// Not copyable. A moved-from object can only be assigned to or destroyed. Not thread-safe.
/// Cost: that of the manager's calls and one look-up in a table of 16 to 32 bytes for each live buffer.
template <class Manager, address_memory Memory = address_range>
class addressed {
    using parts = addressed_manager<Manager>;
    using book = typename parts::book;

public:
    /// The manager inside: the given type, with a device and an observer added if buffers may move.
    using manager_type = typename parts::type;
    using options = typename Manager::options;
    using quanta = typename parts::quanta;

    static constexpr bool moves = parts::moves;

    /// Manages `memory` by `spec`, whose capacity is limited to the addresses; a capacity of 0 means all of them.
    /// If the spec is invalid, every request fails; see `manager::unusable`.
    /// Cost: O(1); O(bytes) under AddressSanitizer.
    explicit addressed(Memory memory, memory_spec spec = {}, const options& given = {},
                       call_site site = call_site::here())
        : memory_(static_cast<Memory&&>(memory)), range_(limited(memory_.range(), spec.capacity)), free_memory_(range_),
          manager_(limited(spec, range_), parts::options(given, range_), site) {}

    // -- buffers --

    /// Allocates a buffer, aligned to `alignment` and `default_alignment()`. 0 bytes take one quantum.
    /// Requires: `alignment` is a power of two, or 0.
    /// Fails: `call_failed` (see `manager::allocate`), `no_power_of_two`, `base_is_aligned_to_less`; nothing changes.
    [[nodiscard]] address_result<void*> allocate(std::uint64_t bytes, std::uint64_t alignment = 0) {
        return allocate(request{.bytes = bytes, .alignment = alignment});
    }
    [[nodiscard]] address_result<void*> allocate(std::uint64_t bytes, std::uint64_t alignment, const char* label) {
        return allocate(request{.bytes = bytes, .alignment = alignment, .label = manager_.tag_for_call(label)});
    }
    [[nodiscard]] address_result<void*> allocate(request request) {
        if (request.alignment > 1) {
            if (const address_error reason = error_of_alignment(request.alignment); reason != address_error::none)
                return refuse(request, reason);
            // Each offset is a multiple of the quantum: alignment 0 takes the fast path.
            if (request.alignment <= manager_.spec().quantum) request.alignment = 0;
        }
        const result<buffer> result = manager_.allocate(request);
        if (!result) [[unlikely]]
            return refuse(result.error());
        return begin_buffer(result->index);
    }
    /// Returns null if the allocation failed; see `last_failure`.
    [[nodiscard]] void* allocate_or_null(std::uint64_t bytes, std::uint64_t alignment = 0) {
        return allocate(bytes, alignment).value_or(nullptr);
    }

    /// Allocates a buffer that never moves: it is pinned from the start, if buffers can move.
    [[nodiscard]] address_result<void*> allocate_fixed(const request& request) {
        const address_result<void*> result = allocate(request);
        if constexpr (moves)
            if (result) static_cast<void>(manager_.pin(*handle_of(*result)));
        return result;
    }
    [[nodiscard]] address_result<void*> allocate_fixed(std::uint64_t bytes, std::uint64_t alignment = 0) {
        return allocate_fixed(request{.bytes = bytes, .alignment = alignment});
    }

    /// Frees the buffer that begins at `begin`, pinned or not.
    /// Fails: `null_pointer`, `outside`, `inside_a_buffer`, or `not_live` after a double free. Nothing changes.
    /// Cost: that of the manager's `free`; O(blocks) for a wrong pointer.
    address_result<done> deallocate(void* begin) {
        const block_index block = find(begin);
        if (block == no_block) [[unlikely]]
            return refuse(begin);
        const auto& map = manager_.state().blocks.map();
        const buffer freed = handle(block);
        if constexpr (moves)
            while (map.pins(block) != 0) static_cast<void>(manager_.unpin(freed));
        // An interrupted move may leave the block elsewhere.
        if (range_.on_host && !is_copied(block))
            poison(address(in_bytes(map.offset(block))), in_bytes(map.size(block)));
        use_.freed(in_bytes(map.granted(block)));
        known().table.erase(manager_.state().in_quanta(offset_of(begin)));
        static_cast<void>(manager_.free(freed));
        return done{};
    }

    /// Returns the granted bytes of the buffer that begins at `begin`: the requested bytes, rounded up to the quantum.
    /// Fails: like `deallocate`.
    [[nodiscard]] address_result<std::uint64_t> size_of(const void* begin) const {
        const block_index block = find(begin);
        if (block == no_block) [[unlikely]]
            return failure_of(begin);
        return in_bytes(manager_.state().blocks.map().granted(block));
    }
    /// Returns the manager's handle of the buffer that begins at `begin`.
    /// Fails: like `deallocate`.
    [[nodiscard]] address_result<buffer> handle_of(const void* begin) const {
        const block_index block = find(begin);
        if (block == no_block) [[unlikely]]
            return failure_of(begin);
        return handle(block);
    }
    /// Returns the first address of a buffer, or of the code of a program; null if the handle is not valid, or the
    /// program is not in memory.
    template <class Held>
    [[nodiscard]] void* address_of(Held held) const noexcept {
        const extent where = manager_.where(held);
        return where.size == 0 ? nullptr : address(where.offset);
    }

    // -- runs --

    /// Runs a program of `manager()`, with handles from `handle_of`; see `manager::run`. `address_of` returns the
    /// addresses of outputs. Donated buffers end unless they are kept. Arguments do not move.
    /// Fails: `call_failed`; nothing changes.
    /// Cost: that of the manager's `run`, and a look-up for each output and donated buffer.
    /// With streams, on the stream that is named last, if any.
    template <class... Stream>
    address_result<done> run(program subject, const run_spec& spec, run_result& ran, Stream... on) {
        if constexpr (moves)
            if (const result<done> finished = manager_.finish_moves(); !finished) return refuse(finished.error());
        run_spec in_place = spec;
        in_place.arguments_may_move = false;  // donors are found again by their addresses
        trivial_vector<extent> donors;
        for (const buffer donated : spec.donated)
            donors.push_back({manager_.where(donated).offset, manager_.granted(donated)});
        if (const result<done> outcome = manager_.run(subject, in_place, ran, on...); !outcome)
            return refuse(outcome.error());
        // New outputs begin while donors are still there, as in memory; a donor's output has the place of the donor.
        for (const buffer output : ran.outputs)
            if (!is_listed(output.index)) begin_buffer(output.index);
        for (std::size_t at = 0; at < donors.size(); ++at) {
            if (manager_.check(spec.donated[at]) == error::none) continue;  // kept
            known().table.erase(manager_.state().in_quanta(donors[at].offset));
            use_.freed(donors[at].size);
            if (range_.on_host && !is_copied(spec.donated[at].index))
                poison(address(donors[at].offset), donors[at].size);
        }
        for (const buffer output : ran.outputs)
            if (!is_listed(output.index)) begin_block(output.index, &address_use::taken_over);
        return done{};
    }

    // -- moves --

    /// Calls `tell` for each buffer that moves from now on; null disables it.
    void on_move(move_callback tell, void* context = nullptr) noexcept requires moves {
        known().tell = tell;
        known().context = context;
    }
    /// Keeps the buffer that begins at `begin` in place until it is unpinned as often.
    /// Fails: like `deallocate`, and if there are too many pins.
    address_result<done> pin(void* begin) requires moves {
        return on_handle(begin, [this](buffer held) { return manager_.pin(held); });
    }
    address_result<done> unpin(void* begin) requires moves {
        return on_handle(begin, [this](buffer held) { return manager_.unpin(held); });
    }
    /// Moves buffers to merge holes, up to `budget` bytes; see `manager::compact`. A smaller budget than the longest
    /// buffer is raised to it, so that each move ends; 0 only returns the bytes left to move.
    compaction compact(std::uint64_t budget) requires moves {
        std::uint64_t longest = 0;
        for (const block_view& block : manager_.blocks())
            if (block.where.size > longest) longest = block.where.size;
        return manager_.compact(budget == 0 || budget > longest ? budget : longest);
    }
    /// Begins a pass, whose moves the caller copies: from `base() + from` to `base() + to`; see `manager::begin_pass`.
    [[nodiscard]] auto begin_pass(std::uint64_t budget) requires moves { return manager_.begin_pass(budget); }
    /// Ends a pass: its buffers have their new addresses from now on; see `manager::end_pass`.
    auto end_pass(const pass& ended, list<std::uint32_t> failed = {}) requires moves {
        return manager_.end_pass(ended, failed);
    }
    /// Finishes a move in which the user's own device failed; see `manager::finish_moves`.
    /// Until then the bytes are in two places, and the buffer has its old address.
    address_result<done> finish_moves() requires moves {
        const result<done> finished = manager_.finish_moves();
        return finished ? address_result<done>(done{}) : address_result<done>(refuse(finished.error()));
    }

    // -- views --

    [[nodiscard]] const address_failure& last_failure() const noexcept { return last_failure_; }
    [[nodiscard]] void* base() const noexcept { return range_.base; }
    [[nodiscard]] std::uint64_t capacity() const noexcept { return manager_.capacity_bytes(); }
    /// Returns the alignment of all addresses: the quantum, or less if the base is not a multiple of it.
    [[nodiscard]] std::uint64_t default_alignment() const noexcept {
        const std::uint64_t quantum = manager_.spec().quantum;
        return quantum < range_.alignment() ? quantum : range_.alignment();
    }
    [[nodiscard]] std::uint64_t largest_alignment() const noexcept { return range_.alignment(); }
    /// Returns the manager inside, for programs, fences, `explain`, `dump` and figures.
    /// Requires: its buffers are allocated, freed and run by this object, which tracks their addresses.
    [[nodiscard]] manager_type& manager() noexcept { return manager_; }
    [[nodiscard]] const manager_type& manager() const noexcept { return manager_; }
    [[nodiscard]] const address_use& use() const noexcept { return use_; }
    /// Returns the figures of `device.memory_stats()`; the number of allocations and the largest are those of buffers,
    /// and so is the peak, unless more bytes are in use now.
    /// Cost: that of the manager's `largest_free_bytes`.
    [[nodiscard]] statistics figures() const {
        statistics result;
        result.look_at(manager_);
        result.num_allocs = use_.allocations;
        result.largest_alloc_size = use_.largest;
        if (use_.peak > result.bytes_in_use) result.peak_bytes_in_use = use_.peak;
        return result;
    }
    void clear_peaks() noexcept { use_.clear_peaks(); }

    /// Reserves metadata on the host for `blocks` live buffers; see `manager::reserve_metadata`.
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
    /// Returns true if an open pass moves a block, and may still read it.
    [[nodiscard]] bool is_copied(block_index block) const noexcept {
        if constexpr (moves) return known().is_moving(block);
        return false;
    }

    [[nodiscard]] std::uint64_t in_bytes(quanta size) const noexcept { return manager_.state().bytes(size); }
    [[nodiscard]] void* address(std::uint64_t offset) const noexcept {
        return reinterpret_cast<void*>(range_.begin_address() + static_cast<std::uintptr_t>(offset));
    }
    [[nodiscard]] std::uint64_t offset_of(const void* given) const noexcept {
        return std::uint64_t{reinterpret_cast<std::uintptr_t>(given)} - range_.begin_address();
    }
    /// Returns true if the table has a buffer, this or another, at the place of a block.
    [[nodiscard]] bool is_listed(block_index block) const noexcept {
        return known().table.find(manager_.state().blocks.map().offset(block)) != no_block;
    }
    /// Adds a new block to the table and the sums. Returns its address.
    void* begin_buffer(block_index block) { return begin_block(block, &address_use::allocated); }
    void* begin_block(block_index block, void (address_use::*count)(std::uint64_t) noexcept) {
        const auto& map = manager_.state().blocks.map();
        const quanta offset = map.offset(block);
        known().table.insert(offset, block);
        const std::uint64_t granted = in_bytes(map.granted(block));
        (use_.*count)(granted);
        void* const begin = address(in_bytes(offset));
        if (range_.on_host) unpoison(begin, granted);
        return begin;
    }
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
    [[gnu::cold]] const address_failure& refuse(const request& request, address_error reason) {
        failure why{.reason = error::bad_alignment,
                    .requested = request.bytes,
                    .free = manager_.free_bytes(),
                    .largest_free = manager_.largest_free_bytes(),
                    .label = request.label,
                    .alignment = request.alignment};
        refuse(why);
        last_failure_.what = reason;
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

}  // namespace hbm::inline v0
