#pragma once

#include <hbm/state/memory_state.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// A move that takes time: it has begun and not ended. Its block stays in its place, and the place to which it is
/// copied is occupied by a block of kind `arriving`. Until the move ends, nothing else is placed in either, and relief
/// and compaction move neither. Offsets and sizes in bytes.
struct begun_move {
    block_kind kind = block_kind::data;  ///< kind of the block: a buffer, or a program's code or scratch
    buffer block = {};                   ///< the block; the buffer's handle if it is a buffer
    program owner = {};                  ///< the program whose code or scratch moves; empty for a buffer
    buffer place = {};                   ///< the block that occupies the target; empty if the move did not begin
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t bytes = 0;

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return static_cast<bool>(place); }
    friend constexpr bool operator==(const begun_move&, const begun_move&) = default;
};

/// Begins to move a block to the offset `to`: occupies that range, and holds the block, and its program, in place.
/// Requires: `state.can_move(block)`.
/// Fails: returns a move that is false, without effect, if the range is not free; it may not overlap the block.
/// Cost: that of `occupy`.
template <placement P>
[[nodiscard, gnu::cold]] constexpr begun_move begin_copy(memory_state<P>& state, block_index block,
                                                         typename P::quanta to) {
    auto& map = state.blocks.map();
    begun_move begun{.kind = map.kind(block),
                     .block = buffer::of(block, map.generation(block), state.salt),
                     .from = state.bytes(map.offset(block)),
                     .to = state.bytes(to),
                     .bytes = state.bytes(map.size(block))};
    const block_index place = state.blocks.occupy({to, map.size(block)}, map.granted(block), map.alignment(block));
    if (place == no_block) return {};
    map.set_owner(place, block_kind::arriving, block);
    map.hold(place);
    map.hold(block);
    if (begun.kind != block_kind::data) {
        const std::uint32_t slot = map.owner(block);
        begun.owner = {slot, state.programs[slot].generation, state.salt};
        // A program is evicted unless its code is held.
        if (begun.kind == block_kind::scratch) map.hold(state.programs[slot].code_block);
    }
    begun.place = buffer::of(place, map.generation(place), state.salt);
    return begun;
}

/// Returns an error if a move is not one that has begun in `state`, or has ended.
template <placement P>
[[nodiscard, gnu::cold]] constexpr error check(const memory_state<P>& state, const begun_move& begun) noexcept {
    const auto& map = state.blocks.map();
    const buffer place = begun.place;
    if (place && place.salt != state.salt) return error::foreign_handle;
    const bool is_open = map.is_live(place.index, place.generation) && map.kind(place.index) == block_kind::arriving &&
                         map.owner(place.index) == begun.block.index;
    return is_open ? error::none : error::stale_handle;
}

/// Returns the label of the block `source` that moves to a target of `size` quanta; `tag::none` if it is gone.
template <class Quanta>
[[nodiscard, gnu::cold]] constexpr tag label_of_moving(const block_map<Quanta>& map, const memory_records& records,
                                                       block_index source, Quanta size) noexcept {
    const block_kind kind = map.kind(source);
    if (!map.is_held(source) || map.size(source) != size) return tag::none;
    if (kind == block_kind::code || kind == block_kind::scratch) return records.programs[map.owner(source)].label;
    return kind == block_kind::arriving ? tag::none : static_cast<tag>(map.owner(source));
}

/// Ends a move: frees its target and, if `copied`, moves the block there. Returns true if the block has moved.
/// The block stays if its copy was dropped, it was freed or donated meanwhile, its program left, or a run in flight
/// uses it.
/// Requires: `check(state, ended)` returns `error::none`.
/// Cost: O(blocks between the two places).
template <placement P>
[[gnu::cold]] constexpr bool end_copy(memory_state<P>& state, const begun_move& ended, bool copied,
                                      retirement_log* log = nullptr) {
    auto& map = state.blocks.map();
    const block_index block = ended.block.index;
    const bool is_same = map.generation(block) == ended.block.generation;
    const typename P::quanta to = map.offset(ended.place.index);
    copied = copied && map.pins(ended.place.index) == 0;  // see `drop_copies`
    map.drop_pins(ended.place.index);
    state.blocks.release(ended.place.index);
    // A buffer lives at least as long as it is held; the blocks of a program that left are gone, and so are their
    // holds.
    if (ended.kind != block_kind::data && !is_same) return false;
    state.end_hold(block, log);
    bool is_used = map.is_held(block);
    if (ended.kind != block_kind::data) {
        const std::uint32_t slot = map.owner(block);
        if (ended.kind == block_kind::scratch) map.release_hold(state.programs[slot].code_block);
        is_used = false;  // another move may hold it
        for (const flight& run : state.flights) is_used = is_used || run.slot == slot;
    }
    return copied && is_same && !is_used && state.blocks.relocate(block, to);
}

}  // namespace hbm::inline v0
