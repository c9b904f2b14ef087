#pragma once

/// A block or a hole, as the block map keeps it.

#include <hbm/core/handle.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// The purpose of a block.
enum class block_kind : std::uint8_t {
    hole,         ///< free
    data,         ///< a buffer; never evicted
    code,         ///< a program's code and constants
    scratch,      ///< a program's scratch, under a placement that cannot reserve
    reservation,  ///< scratch reserved at the bottom of memory
    deferred,     ///< a buffer that was freed while it was pinned, until the free takes effect
};

/// Returns the number of nodes that a map of `blocks` live blocks has room for: as many, and two thirds as many holes,
/// or one more than as many if they are few. Where blocks come and go at random half as many holes are usual (the
/// "fifty percent rule", Knuth, "The Art of Computer Programming", 2.5), fewer where some of them fit exactly.
[[nodiscard]] constexpr std::size_t nodes_for(std::size_t blocks) noexcept {
    return blocks + (blocks < 192 ? blocks + 1 : blocks / 3 * 2 + 65) + 4;
}

/// The upper half of a number that needs more than the 32 bits of a link, and nothing where it does not.
template <class Quanta>
struct upper_half {
    std::uint32_t upper = 0;
};
template <>
struct upper_half<std::uint32_t> {};

/// A block or a hole: 32 bytes at the usual width, half a cache line, and nodes do not straddle lines. A hole needs two
/// links for the list that it is in, a block does not; there a block has its owner and what was granted to it.
template <class Quanta>
struct alignas(sizeof(Quanta) == 4 ? 32 : 16) block_node : upper_half<Quanta> {
    // All blocks and holes, and the bottom, form a ring in address order.
    block_index previous = 0;
    block_index next = 0;
    Quanta offset = 0;
    Quanta size = 0;
    std::uint32_t state = 0;  // the generation; its two low bits: live (no handle matches a hole), and special
    std::uint32_t bits = 0;   // of a block: kind, alignment, mark, holds and pins
    block_index left = 0;     // of a hole: a link of the index; of a block: what was granted, its lower half
    block_index right = 0;    // of a hole: a link of the index; of a block: its owner, a tag or a program's slot

    [[nodiscard]] constexpr Quanta end() const noexcept { return static_cast<Quanta>(offset + size); }
};

}  // namespace hbm
