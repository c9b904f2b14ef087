#pragma once

/// The contract of a hole index: which hole a block goes into.
///
/// | expression                    | result        | meaning                                                                          |
/// |-------------------------------|---------------|----------------------------------------------------------------------------------|
/// | `I{}`, `I(capacity)`          | `I`           | an index of no holes, for that many quanta if it wants to know; it can be copied |
/// | `I::quanta`                   | type          | `std::uint32_t` or `std::uint64_t`                                               |
/// | `i.find(map, need)`           | `block_index` | a hole of `map` that `need.admits`, or `no_block` if there is none               |
/// | `i.insert(map, hole)`         | -             | optional: a hole has come to be; its `left` and `right` are free to use          |
/// | `i.insert(map, hole, offset)` | -             | instead: the same, told where the hole is                                        |
/// | `i.erase(map, hole)`          | -             | with `insert`: the hole is about to change or to go                              |
/// | `i.take(map, length)`         | `block_index` | optional: finds and erases at once, for a need that is nothing but long          |
/// | `i.largest(map)`              | `quanta`      | optional: the size of the largest hole, 0 if there is none                       |
/// | `i.reserve(blocks)`           | -             | optional: room for the holes between that many live blocks                       |
/// | `I::search_end`               | `end`         | optional: the end of memory where `take` searches from, `end::low` if it is not  |
/// |                               |               | said. With `end::high` the hole after `map.reservation()` is the last resort     |
/// |                               |               | and in no list: `insert` leaves it out, and it is erased before it becomes that  |
///
/// An index without `insert` keeps nothing and looks through the map. `find` never fails while a hole fits. Holes are
/// named by `hole_after(block)`, as the map names them. While `insert` is told of a hole, the block it lies after may
/// not be live yet: an index looks at holes.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/regular_value.hpp>
#include <hbm/core/request.hpp>

#include <concepts>

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
    index.erase(map, hole);
}
&&(
    requires(I index, block_map<typename I::quanta> map, block_index hole) { index.insert(map, hole); } ||
    requires(I index, block_map<typename I::quanta> map, block_index hole, typename I::quanta offset) {
        index.insert(map, hole, offset);
    });
/// Facet: it finds and erases at once.
template <class I>
concept takes_holes = tracks_holes<I> && requires(I index, block_map<typename I::quanta> map, typename I::quanta n) {
    { index.take(map, n) } -> std::same_as<block_index>;
};
/// Facet: it knows the largest hole without looking through the map.
template <class I>
concept knows_largest_hole = requires(const I index, const block_map<typename I::quanta> map) {
    { index.largest(map) } -> std::same_as<typename I::quanta>;
};

/// A hole index.
template <class I>
concept hole_index = semiregular_value<I> && finds_holes<I>;

}  // namespace hbm
