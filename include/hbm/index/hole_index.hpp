#pragma once

/// The contract of a hole index, which chooses the hole for a block.
///
/// | expression                          | result        | meaning                                                               |
/// |-------------------------------------|---------------|-----------------------------------------------------------------------|
/// | `I{}`, `I(capacity)`                | `I`           | an empty index, optionally for a capacity in quanta; copyable         |
/// | `I::quanta`                         | type          | `std::uint32_t` or `std::uint64_t`                                    |
/// | `i.find(map, need)`                 | `block_index` | a hole of `map` that `need.admits`, `no_block` if there is none       |
/// | `i.insert(map, hole)`               | -             | optional: a hole was created; the index may use its `left`, `right`   |
/// | `i.insert(map, hole, size, offset)` | -             | optional: like `insert`, without reading size and offset from `map`   |
/// | `i.erase(map, hole)`                | -             | with `insert`: the hole is about to change or disappear               |
/// | `i.take(map, length)`               | `block_index` | optional: `find` and `erase`, for a need with only a length           |
/// | `i.take_at_once(map, length)`       | `block_index` | optional fast path of `take`; `no_block`, without effect, if slow     |
/// | `i.largest(map)`                    | `quanta`      | optional: the size of the largest hole, 0 if there is none            |
/// | `i.reserve(map, blocks)`            | -             | optional: reserves memory for the holes between `blocks` live blocks  |
/// | `i.resize(map, nodes)`              | -             | optional: the map has grown to `nodes` blocks and holes               |
/// | `I::search_end`                     | `end`         | optional: end of memory where `take` begins; `end::low` by default.   |
/// |                                     |               | With `end::high` the far hole is next to the reservation, used last   |
/// | `I::leaves_out_far_hole`            | `bool`        | optional: `insert` and `erase` skip the far hole, see `block_map`     |
///
/// An index without `insert` has no state and searches the map. `find` never fails while a hole fits.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/regular_value.hpp>
#include <hbm/core/request.hpp>

#include <concepts>
#include <cstdint>

namespace hbm::inline v0 {

/// Facet: an index that finds holes.
template <class I>
concept finds_holes = requires(const I index, const block_map<typename I::quanta> map,
                               const need<typename I::quanta> n) {
    { index.find(map, n) } -> std::same_as<block_index>;
};
/// Facet: an index that tracks holes as they are created and erased.
template <class I>
concept tracks_holes = requires(I index, block_map<typename I::quanta> map, block_index hole) {
    index.insert(map, hole);
    index.erase(map, hole);
};
/// Facet: an index that finds and erases in one call.
template <class I>
concept takes_holes = tracks_holes<I> && requires(I index, block_map<typename I::quanta> map, typename I::quanta n) {
    { index.take(map, n) } -> std::same_as<block_index>;
};
/// Facet: an index with a fast path of `take`.
template <class I>
concept takes_holes_at_once = takes_holes<I> &&
    requires(I index, block_map<typename I::quanta> map, typename I::quanta n) {
    { index.take_at_once(map, n) } -> std::same_as<block_index>;
};
/// Facet: an index that does not list the far hole.
template <class I>
concept leaves_out_far_hole = !tracks_holes<I> || (requires { I::leaves_out_far_hole; } && I::leaves_out_far_hole);
/// Facet: an index that returns the largest hole without a search of the map.
template <class I>
concept knows_largest_hole = requires(const I index, const block_map<typename I::quanta> map) {
    { index.largest(map) } -> std::same_as<typename I::quanta>;
};

template <class I>
concept hole_index = semiregular_value<I> && finds_holes<I>;

/// Fails to compile with a message for every part of the contract that `I` violates.
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

}  // namespace hbm::inline v0
