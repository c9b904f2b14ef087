#pragma once
// How much a packed file may unpack to, and how unpacking ends.

#include <cstddef>

namespace hbm::trace {

/// How unpacking ended.
enum class unpacking { done, damaged, too_large };

/// The most bytes that a file of `packed` bytes is unpacked to: 256 times its size, and 32 MiB in any case. Recorded
/// traces pack to a fourth or a tenth, logs that repeat themselves to a hundredth; a file that is made to fill memory
/// packs to a thousandth.
[[nodiscard]] constexpr std::size_t most_unpacked(std::size_t packed) noexcept {
    constexpr std::size_t always = std::size_t{32} << 20U;
    constexpr std::size_t times = 256;
    if (packed > ~std::size_t{0} / times) return ~std::size_t{0};
    return packed * times < always ? always : packed * times;
}

}  // namespace hbm::trace
