#pragma once

/// The contract of a placement: where blocks go.
///
/// | expression             | result               | complexity  | meaning                                                                                       |
/// |------------------------|----------------------|-------------|-----------------------------------------------------------------------------------------------|
/// | `P(capacity)`          | `P`                  | O(1) blocks | all of `[0, capacity)` quanta free; `P` is a regular value                                    |
/// | `P::name`              | `fixed_string`       |             | the type as a user would write it                                                             |
/// | `P::quanta`            | type                 |             | `std::uint32_t`, or `std::uint64_t` beyond 2^32 - 1 quanta                                    |
/// | `P::unlimited`         | `quanta`             |             | the capacity that stands for an unlimited arena                                               |
/// | `P::merges_neighbours` | `bool`               |             | true when two holes never touch                                                               |
/// | `p.place(need)`        | `block_index`        | stated by P | a live block, `need.length` quanta granted; `no_block`, and the state as it was, if none fits |
/// | `p.release(block)`     | -                    | stated by P | frees a live block                                                                            |
/// | `p.requirement(need)`  | `need`               | O(1)        | which free run would satisfy it: what relief makes room for                                   |
/// | `p.largest_free()`     | `quanta`             | stated by P | the longest contiguous free run                                                               |
/// | `p.map()`              | `block_map<quanta>&` | O(1)        | all blocks in address order                                                                   |
///
/// Optional abilities; absence means "cannot":
///
/// | expression              | result            | ability      | meaning                                                                   |
/// |-------------------------|-------------------|--------------|---------------------------------------------------------------------------|
/// | `p.occupy(range)`       | `block_index`     | imports      | makes a given free range live; `no_block` if it is not free               |
/// | `p.relocate(block, to)` | `bool`            | relocates    | moves a block; false and nothing done if the target is not free           |
/// | `p.stretch(block, run)` | `bool`            | stretches    | lets a block occupy a run that is no shorter than what was granted;       |
/// |                         |                   |              | false and nothing done if the run is not free but for the block           |
/// | `P::may_move`           | `true`            | compacts     | the permission to relocate: `compacting<P>`                               |
/// | `p.shrink(block, n)`    | -                 | shrinks      | gives the tail beyond n granted quanta back                               |
/// | `P::may_give_more`      | `true`            | gives_more   | blocks may be longer than required: waste inside, never in the live sum   |
/// | `p.extend(n)`           | `bool`            | extends      | the memory gets n quanta, more at its top; all blocks stay; O(blocks).    |
/// |                         |                   |              | False and nothing done if n is not more than now, or beyond the width     |
/// | `p.reserve(n)`          | `bool`            | reserves     | makes `[0, n)` the reservation; false and nothing done if it does not fit |
/// | `p.reserved()`          | `quanta`          | with reserve | how much is reserved at the bottom                                        |
/// | `p.reservable()`        | `quanta`          | with reserve | the free run directly above the reservation                               |
/// | `P::sharing`            | `scratch_sharing` | with reserve | whether programs share the reservation                                    |
/// | `p.set_reservation(b)`  | -                 | spares_reservable | block b, or the bottom, is what `p.map()` has for the reservation from now on, and `place` takes the hole after it only when no other fits |
/// | `P::heeds_lifetimes`    | `true`            | (its name)   | `need.expected` has a say in where a block goes: `lifetimes_apart<P>`     |
/// | `p.expected(tag)`       | `lifetime`        | with that    | what is learned of blocks under a tag; asked where the caller says nothing |
/// | `P::takes_either_end`   | `true`            | (its name)   | `need.at` may be `end::either`: `free_together<P>`                        |
/// | `p.reserve_metadata(n)` | -                 | (its name)   | n live blocks then ask the host for no more memory                        |

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/fixed_string.hpp>
#include <hbm/core/regular_value.hpp>
#include <hbm/core/request.hpp>

#include <concepts>
#include <cstdint>

namespace hbm {

/// Whether loaded programs share the reserved scratch (one runs at a time: the largest counts) or keep their own (the
/// sum counts).
enum class scratch_sharing : std::uint8_t { shared, per_program };

/// Facet: it has a width.
template <class P>
concept has_quanta = (std::same_as<typename P::quanta, std::uint32_t> ||
                      std::same_as<typename P::quanta, std::uint64_t>)&&requires {
    { P::unlimited } -> std::convertible_to<typename P::quanta>;
    { P::merges_neighbours } -> std::convertible_to<bool>;
};
/// Facet: it is made from a capacity.
template <class P>
concept made_from_capacity = std::constructible_from<P, typename P::quanta>;
/// Facet: it places.
template <class P>
concept places = requires(P p, const need<typename P::quanta> n) {
    { p.place(n) } -> std::same_as<block_index>;
};
/// Facet: it frees.
template <class P>
concept releases = requires(P p, block_index block) {
    p.release(block);
};
/// Facet: it says what would satisfy a request, and how long the longest free run is.
template <class P>
concept explains_itself = requires(const P p, const need<typename P::quanta> n) {
    { p.requirement(n) } -> std::same_as<need<typename P::quanta>>;
    { p.largest_free() } -> std::same_as<typename P::quanta>;
};
/// Facet: it shows its blocks.
template <class P>
concept shows_blocks = requires(P p, const P c) {
    { p.map() } -> std::same_as<block_map<typename P::quanta>&>;
    { c.map() } -> std::same_as<const block_map<typename P::quanta>&>;
};

/// A placement.
template <class P>
concept placement = regular_value<P> && names_itself<P> && has_quanta<P> && made_from_capacity<P> && places<P> &&
    releases<P> && explains_itself<P> && shows_blocks<P>;

/// Ability: blocks at given offsets.
template <class P>
concept imports = requires(P p, basic_extent<typename P::quanta> range) {
    { p.occupy(range) } -> std::same_as<block_index>;
};
/// Ability: blocks can move.
template <class P>
concept relocates = requires(P p, block_index block, typename P::quanta to) {
    { p.relocate(block, to) } -> std::same_as<bool>;
};
/// Ability: a block can occupy more than it needs, for as long as it is half in one place and half in another.
template <class P>
concept stretches = requires(P p, block_index block, basic_extent<typename P::quanta> range) {
    { p.stretch(block, range) } -> std::same_as<bool>;
};
/// Ability: blocks can move and may.
template <class P>
concept compacts = relocates<P> && requires {
    requires P::may_move;
};
/// Ability: blocks can be cut short.
template <class P>
concept shrinks = requires(P p, block_index block, typename P::quanta n) {
    p.shrink(block, n);
};
/// Ability: a block takes more than it requires where what would be left is not worth keeping.
template <class P>
concept gives_more = requires {
    requires P::may_give_more;
};
/// Ability: the memory can become longer at its top. The capacity is counted wide, so that one beyond the width can be
/// refused.
template <class P>
concept extends = requires(P p, std::uint64_t capacity) {
    { p.extend(capacity) } -> std::same_as<bool>;
};
/// Ability: after `p.reserve_metadata(blocks)` that many live blocks need no more memory of the host.
template <class P>
concept reserves_metadata = requires(P p, std::size_t blocks) {
    p.reserve_metadata(blocks);
};
/// Ability: scratch can be reserved at the bottom.
template <class P>
concept reserves = requires(P p, const P c, typename P::quanta n) {
    { p.reserve(n) } -> std::same_as<bool>;
    { c.reserved() } -> std::same_as<typename P::quanta>;
    { c.reservable() } -> std::same_as<typename P::quanta>;
    { P::sharing } -> std::convertible_to<scratch_sharing>;
};

/// Ability: the hole next to the reservation is taken only when no other fits.
template <class P>
concept spares_reservable = requires(P p, block_index block) {
    p.set_reservation(block);
};

/// The placement that `bottom_reserve<P>` is made of, for blocks that come from the top of memory: `P` itself, or one
/// that does the same and is quicker there.
template <class P>
struct from_the_top {
    using type = P;
};
template <class P>
using from_the_top_t = typename from_the_top<P>::type;

/// Ability: how long a block will live has a say in where it goes; and it learns that from tags.
template <class P>
concept heeds_lifetimes = requires {
    requires P::heeds_lifetimes;
};
template <class P>
concept learns_lifetimes = heeds_lifetimes<P> && requires(const P p, tag label) {
    { p.expected(label) } -> std::same_as<lifetime>;
};

/// Ability: which end of a hole is taken may depend on what lies around it.
template <class P>
concept takes_either_end = requires {
    requires P::takes_either_end;
};

/// How long a block is expected to live: as the caller hints, else as `blocks` has learned of its tag; unknown where
/// nobody heeds it. O(1).
template <class P>
[[nodiscard]] constexpr lifetime expected_under(const P& blocks, lifetime hint, tag label) noexcept {
    if constexpr (learns_lifetimes<P>)
        return hint == lifetime::unknown ? blocks.expected(label) : hint;
    else
        return heeds_lifetimes<P> ? hint : lifetime::unknown;
}

/// Places a block on a cold path: like `place`, in less code if the class that has `place` has `place_cold`.
template <class P>
constexpr block_index place_cold(P& blocks, const need<typename P::quanta>& n) {
    if constexpr (requires { requires std::same_as<decltype(&P::place), decltype(&P::place_cold)>; })
        return blocks.place_cold(n);
    else
        return blocks.place(n);
}

/// Words every miss of the contract, for both compilers. Call it where a policy of your own does not fit in.
template <class P>
consteval bool check_placement() {
    static_assert(regular_value<P>, "a placement is a regular value: default-made, copied, compared with ==");
    static_assert(names_itself<P>, "a placement has a name: static constexpr hbm::fixed_string name{\"my_fit\"};");
    static_assert(
        requires { typename P::quanta; }, "a placement names its width: using quanta = std::uint32_t;");
    static_assert(has_quanta<P>,
                  "a placement has quanta (std::uint32_t or std::uint64_t), unlimited and merges_neighbours");
    static_assert(made_from_capacity<P>, "a placement is made from a capacity in quanta: explicit P(quanta capacity)");
    static_assert(places<P>, "a placement places: block_index place(const need<quanta>&), no_block when nothing fits");
    static_assert(releases<P>, "a placement frees: void release(block_index)");
    static_assert(explains_itself<P>,
                  "a placement says what would satisfy a request: need<quanta> requirement(const need<quanta>&) const, "
                  "and quanta largest_free() const");
    static_assert(shows_blocks<P>, "a placement shows its blocks: block_map<quanta>& map() and the same for const");
    static_assert(
        !requires { P::may_move; } || relocates<P>,
        "a placement that may move blocks has bool relocate(block_index, quanta)");
    static_assert(
        !requires(P p, block_index block, basic_extent<typename P::quanta> range) { p.stretch(block, range); } ||
            stretches<P>,
        "a placement that stretches blocks has bool stretch(block_index, basic_extent<quanta>)");
    static_assert(
        !requires(P p, std::uint64_t n) { p.extend(n); } || extends<P>,
        "a placement that extends has bool extend(std::uint64_t)");
    static_assert(
        !requires(P p, typename P::quanta n) { p.reserve(n); } || reserves<P>,
        "a placement that reserves has bool reserve(quanta), quanta reserved() const, quanta reservable() const and "
        "sharing");
    return placement<P>;
}

}  // namespace hbm
