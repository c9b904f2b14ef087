#pragma once

#include <hbm/core/handle.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// The purpose of a block.
enum class block_kind : std::uint8_t {
    hole,         ///< free
    data,         ///< a buffer; never evicted
    code,         ///< the code and constants of a program
    scratch,      ///< the scratch of a program, under a placement that cannot reserve
    reservation,  ///< scratch reserved at the bottom of memory
    deferred,     ///< a pinned buffer whose free is deferred until the last unpin
};

/// Returns the number of nodes to reserve for `blocks` live blocks and their holes: two thirds as many holes, or one
/// more than `blocks` if they are few. With random frees half as many holes are usual ("fifty percent rule", Knuth,
/// "The Art of Computer Programming", 2.5), fewer if some requests fit exactly.
[[nodiscard]] constexpr std::size_t nodes_for(std::size_t blocks) noexcept {
    return blocks + (blocks < 192 ? blocks + 1 : blocks / 3 * 2 + 65) + 4;
}

namespace detail {

/// The upper half of a number that exceeds the 32 bits of a link; empty if no number does.
template <class Quanta>
struct upper_half {
    std::uint32_t upper = 0;
};
template <>
struct upper_half<std::uint32_t> {};

}  // namespace detail

/// A block or a hole: 32 bytes at the usual width, half a cache line, never straddling lines. Holes use the two links
/// for the list that they are in, blocks for owner and granted quanta.
///
/// A block has no list and a hole no owner, so the two share words: that is what keeps a node at half a line. It is
/// also why an index may read and write `left` and `right` of holes only.
template <class Quanta>
struct alignas(sizeof(Quanta) == 4 ? 32 : 16) block_node : detail::upper_half<Quanta> {
    // Links of the ring of blocks, holes and the bottom in address order.
    block_index previous = 0;
    block_index next = 0;
    Quanta offset = 0;
    Quanta size = 0;
    std::uint32_t state = 0;  // generation; two low bits: live (no handle matches a hole), and special
    std::uint32_t bits = 0;   // block: kind, alignment, mark, holds and pins
    block_index left = 0;     // hole: link of the index; block: lower half of the granted quanta
    block_index right = 0;    // hole: link of the index; block: owner, a tag or the slot of a program

    [[nodiscard]] constexpr Quanta end() const noexcept { return static_cast<Quanta>(offset + size); }
};

}  // namespace hbm::inline v0
