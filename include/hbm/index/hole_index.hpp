#pragma once

/// The contract of a hole index: which hole a block goes into.
///
/// | expression                          | result        | meaning                                                          |
/// |-------------------------------------|---------------|------------------------------------------------------------------|
/// | `I{}`, `I(capacity)`                | `I`           | an index of no holes, for that many quanta if it wants to know;  |
/// |                                     |               | it can be copied                                                 |
/// | `I::quanta`                         | type          | `std::uint32_t` or `std::uint64_t`                               |
/// | `i.find(map, need)`                 | `block_index` | a hole of `map` that `need.admits`, or `no_block` if there is none |
/// | `i.insert(map, hole)`               | -             | optional: a hole has come to be; its `left` and `right` are free |
/// |                                     |               | to use                                                           |
/// | `i.insert(map, hole, size, offset)` | -             | optional: the same, told what the map would say                  |
/// | `i.erase(map, hole)`                | -             | with `insert`: the hole is about to change or to go              |
/// | `i.take(map, length)`               | `block_index` | optional: finds and erases at once, for a need that is nothing   |
/// |                                     |               | but long                                                         |
/// | `i.take_at_once(map, length)`       | `block_index` | with `take`, optional: the same where it costs next to nothing;  |
/// |                                     |               | else `no_block`, and nothing is done                             |
/// | `i.largest(map)`                    | `quanta`      | optional: the size of the largest hole, 0 if there is none       |
/// | `i.reserve(map, blocks)`            | -             | optional: room for the holes between that many live blocks       |
/// | `i.resize(map, nodes)`              | -             | optional: the map has so many blocks and holes by now            |
/// | `I::search_end`                     | `end`         | optional: the end of memory where `take` searches from,          |
/// |                                     |               | `end::low` if it is not said. With `end::high` the far hole is   |
/// |                                     |               | the one next to the reservation, the last resort                 |
/// | `I::leaves_out_far_hole`            | `bool`        | optional: true when `insert` and `erase` need not be told of the |
/// |                                     |               | far hole, see `block_map`                                        |
///
/// An index without `insert` keeps nothing and looks through the map. `find` never fails while a hole fits.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/regular_value.hpp>
#include <hbm/core/request.hpp>

#include <concepts>
#include <cstdint>

namespace hbm {

/// Facet: it can say which hole.
template <class I>
concept finds_holes = requires(const I index, const block_map<typename I::quanta> map,
                               const need<typename I::quanta> n) {
    { index.find(map, n) } -> std::same_as<block_index>;
};
/// Facet: it keeps track of holes as they come and go.
template <class I>
concept tracks_holes = requires(I index, block_map<typename I::quanta> map, block_index hole) {
    index.insert(map, hole);
    index.erase(map, hole);
};
/// Facet: it finds and erases at once.
template <class I>
concept takes_holes = tracks_holes<I> && requires(I index, block_map<typename I::quanta> map, typename I::quanta n) {
    { index.take(map, n) } -> std::same_as<block_index>;
};
/// Facet: it knows when that costs next to nothing.
template <class I>
concept takes_holes_at_once = takes_holes<I> &&
    requires(I index, block_map<typename I::quanta> map, typename I::quanta n) {
    { index.take_at_once(map, n) } -> std::same_as<block_index>;
};
/// Facet: it need not be told of the far hole.
template <class I>
concept leaves_out_far_hole = !tracks_holes<I> || (requires { I::leaves_out_far_hole; } && I::leaves_out_far_hole);
/// Facet: it knows the largest hole without looking through the map.
template <class I>
concept knows_largest_hole = requires(const I index, const block_map<typename I::quanta> map) {
    { index.largest(map) } -> std::same_as<typename I::quanta>;
};

/// A hole index.
template <class I>
concept hole_index = semiregular_value<I> && finds_holes<I>;

/// Fails to compile with a message for every part of the contract that `I` misses.
template <class I>
consteval bool check_hole_index() {
    static_assert(semiregular_value<I>, "a hole index is default-made, copied and assigned");
    static_assert(
        finds_holes<I>,
        "a hole index finds: block_index find(const hbm::block_map<quanta>&, const hbm::need<quanta>&) const, "
        "no_block when no hole admits the need");
    return hole_index<I>;
}

namespace detail {

template <class I>
struct width_of {
    static_assert(
        requires { typename I::quanta; }, "a hole index names its width: using quanta = std::uint32_t;");
    using type = std::uint32_t;
};
template <class I>
requires requires {
    typename I::quanta;
}
struct width_of<I> {
    using type = typename I::quanta;
};

}  // namespace detail

}  // namespace hbm
