#pragma once

/// The contract of a placement, which decides where blocks go.
///
/// | expression             | result               | complexity  | meaning                                                                                       |
/// |------------------------|----------------------|-------------|-----------------------------------------------------------------------------------------------|
/// | `P(capacity)`          | `P`                  | O(1) blocks | all of `[0, capacity)` quanta free; `P` is a regular value                                    |
/// | `P::name`              | `fixed_string`       |             | the type as a user would write it                                                             |
/// | `P::quanta`            | type                 |             | `std::uint32_t`, or `std::uint64_t` beyond 2^32 - 1 quanta                                    |
/// | `P::unlimited`         | `quanta`             |             | the capacity of an unlimited memory                                                           |
/// | `P::merges_neighbours` | `bool`               |             | true when two holes never touch                                                               |
/// | `p.place(need)`        | `block_index`        | stated by P | a live block of `need.length` granted quanta; `no_block`, without effect, if none fits        |
/// | `p.release(block)`     | -                    | stated by P | frees a live block                                                                            |
/// | `p.requirement(need)`  | `need`               | O(1)        | the free range that would satisfy it, for relief                                              |
/// | `p.largest_free()`     | `quanta`             | stated by P | the longest contiguous free range                                                             |
/// | `p.map()`              | `block_map<quanta>&` | O(1)        | all blocks in address order                                                                   |
///
/// Optional abilities:
///
/// | expression              | result            | ability           | meaning                                                                 |
/// |-------------------------|-------------------|-------------------|-------------------------------------------------------------------------|
/// | `p.occupy(range)`       | `block_index`     | imports           | makes a given range live; `no_block` if it is not free                  |
/// | `p.relocate(block, to)` | `bool`            | relocates         | moves a block; false, without effect, if the target is not free         |
/// | `p.stretch(block, run)` | `bool`            | stretches         | changes the range of a block, to no less than its granted quanta;       |
/// |                         |                   |                   | false, without effect, if another block occupies part of it             |
/// | `P::may_move`           | `true`            | compacts          | the permission to relocate: `compacting<P>`                             |
/// | `p.shrink(block, n)`    | -                 | shrinks           | frees the tail beyond n granted quanta                                  |
/// | `P::may_give_more`      | `true`            | gives_more        | blocks may exceed the requirement: internal waste, never live           |
/// | `p.extend(n)`           | `bool`            | extends           | grows the memory at its top to n quanta in O(blocks); false, without    |
/// |                         |                   |                   | effect, if n is not larger than now, or not representable               |
/// | `p.reserve(n)`          | `bool`            | reserves          | makes `[0, n)` the reservation; false, without effect, if it is too big |
/// | `p.reserved()`          | `quanta`          | with reserve      | the reserved quanta at the bottom                                       |
/// | `p.reservable()`        | `quanta`          | with reserve      | the free quanta directly above the reservation                          |
/// | `P::sharing`            | `scratch_sharing` | with reserve      | the way in which programs share the reservation                         |
/// | `p.set_reservation(b)`  | -                 | spares_reservable | sets the reservation of `p.map()` to b, or the bottom; `place` takes    |
/// |                         |                   |                   | the hole after it last                                                  |
/// | `P::heeds_lifetimes`    | `true`            | (its name)        | `need.expected` influences where a block goes: `lifetimes_apart<P>`     |
/// | `P::takes_either_end`   | `true`            | (its name)        | `need.at` may be `end::either`: `free_together<P>`                      |
/// | `p.reserve_metadata(n)` | -                 | (its name)        | reserves host memory for n live blocks                                  |

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/fixed_string.hpp>
#include <hbm/core/regular_value.hpp>
#include <hbm/core/request.hpp>

#include <concepts>
#include <cstdint>

namespace hbm::inline v0 {

/// Sharing of reserved scratch by loaded programs: one region for all (one program runs at a time, so the largest
/// counts), or one each (the sum counts).
enum class scratch_sharing : std::uint8_t { shared, per_program };

/// Facet: a type with a width.
template <class P>
concept has_quanta = (std::same_as<typename P::quanta, std::uint32_t> ||
                      std::same_as<typename P::quanta, std::uint64_t>)&&requires {
    { P::unlimited } -> std::convertible_to<typename P::quanta>;
    { P::merges_neighbours } -> std::convertible_to<bool>;
};
/// Facet: a type constructed from a capacity.
template <class P>
concept made_from_capacity = std::constructible_from<P, typename P::quanta>;
/// Facet: a type that places blocks.
template <class P>
concept places = requires(P p, const need<typename P::quanta> n) {
    { p.place(n) } -> std::same_as<block_index>;
};
/// Facet: a type that frees blocks.
template <class P>
concept releases = requires(P p, block_index block) {
    p.release(block);
};
/// Facet: a type that returns the requirement of a request and the longest free range.
template <class P>
concept explains_itself = requires(const P p, const need<typename P::quanta> n) {
    { p.requirement(n) } -> std::same_as<need<typename P::quanta>>;
    { p.largest_free() } -> std::same_as<typename P::quanta>;
};
/// Facet: a type that exposes its blocks.
template <class P>
concept shows_blocks = requires(P p, const P c) {
    { p.map() } -> std::same_as<block_map<typename P::quanta>&>;
    { c.map() } -> std::same_as<const block_map<typename P::quanta>&>;
};

template <class P>
concept placement = regular_value<P> && names_itself<P> && has_quanta<P> && made_from_capacity<P> && places<P> &&
    releases<P> && explains_itself<P> && shows_blocks<P>;

/// Ability: to place blocks at given offsets.
template <class P>
concept imports = requires(P p, basic_extent<typename P::quanta> range) {
    { p.occupy(range) } -> std::same_as<block_index>;
};
/// Ability: to move blocks.
template <class P>
concept relocates = requires(P p, block_index block, typename P::quanta to) {
    { p.relocate(block, to) } -> std::same_as<bool>;
};
/// Ability: to let a block occupy more than it needs, while it is being moved piece by piece.
template <class P>
concept stretches = requires(P p, block_index block, basic_extent<typename P::quanta> range) {
    { p.stretch(block, range) } -> std::same_as<bool>;
};
/// Ability: to move blocks, with permission.
template <class P>
concept compacts = relocates<P> && requires {
    requires P::may_move;
};
/// Ability: to shorten blocks.
template <class P>
concept shrinks = requires(P p, block_index block, typename P::quanta n) {
    p.shrink(block, n);
};
/// Ability: to give a block more than it requires if the remainder is not worth keeping.
template <class P>
concept gives_more = requires {
    requires P::may_give_more;
};
/// Ability: to grow the memory at its top. The capacity is 64 bits wide, so that excessive values can be rejected.
template <class P>
concept extends = requires(P p, std::uint64_t capacity) {
    { p.extend(capacity) } -> std::same_as<bool>;
};
/// Ability: to reserve host memory for a number of live blocks.
template <class P>
concept reserves_metadata = requires(P p, std::size_t blocks) {
    p.reserve_metadata(blocks);
};
/// Ability: to reserve scratch at the bottom.
template <class P>
concept reserves = requires(P p, const P c, typename P::quanta n) {
    { p.reserve(n) } -> std::same_as<bool>;
    { c.reserved() } -> std::same_as<typename P::quanta>;
    { c.reservable() } -> std::same_as<typename P::quanta>;
    { P::sharing } -> std::convertible_to<scratch_sharing>;
};

/// Ability: to use the hole next to the reservation last.
template <class P>
concept spares_reservable = requires(P p, block_index block) {
    p.set_reservation(block);
};

/// The base of `bottom_reserve<P>`, whose blocks come from the top: `P`, or an equivalent that is faster there.
template <class P>
struct from_the_top {
    using type = P;
};
template <class P>
using from_the_top_t = typename from_the_top<P>::type;

/// Ability: to consider the lifetimes of blocks.
template <class P>
concept heeds_lifetimes = requires {
    requires P::heeds_lifetimes;
};

/// Ability: to choose the end of a hole by its neighbours.
template <class P>
concept takes_either_end = requires {
    requires P::takes_either_end;
};

namespace detail {

/// Places a block on a slow path: calls `place_cold`, which is smaller, if the class that defines `place` has it.
template <class P>
constexpr block_index place_cold(P& blocks, const need<typename P::quanta>& n) {
    if constexpr (requires { requires std::same_as<decltype(&P::place), decltype(&P::place_cold)>; })
        return blocks.place_cold(n);
    else
        return blocks.place(n);
}

}  // namespace detail

/// Fails to compile with a message for every part of the contract that `P` violates.
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
    static_assert(
        explains_itself<P>,
        "a placement returns what would satisfy a request: need<quanta> requirement(const need<quanta>&) const, "
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

}  // namespace hbm::inline v0
