#pragma once
// Unpacks gzip files by zlib. Without it, readers name what is missing; hbm.html lets the browser unpack them.

#include <cstddef>
#include <string>
#include <string_view>

namespace hbm::trace {

/// Outcome of unpacking.
enum class unpacking { done, damaged, too_large, without_zlib };

/// Returns the limit on the unpacked size of a file of `packed` bytes: 256 times its size, and at least 32 MiB.
/// Recorded traces pack to a fourth or a tenth, repetitive logs to a hundredth. A file that is made to fill memory
/// packs to a thousandth.
[[nodiscard]] constexpr std::size_t most_unpacked(std::size_t packed) noexcept {
    constexpr std::size_t always = std::size_t{32} << 20U;
    constexpr std::size_t times = 256;
    if (packed > ~std::size_t{0} / times) return ~std::size_t{0};
    return packed * times < always ? always : packed * times;
}

/// Returns true if a file begins like gzip.
[[nodiscard]] constexpr bool is_gzip(std::string_view bytes) noexcept {
    return bytes.starts_with("\x1f\x8b");
}

/// Unpacks a gzip file, which may consist of several members, to at most `most` bytes: a small file can unpack to a
/// thousand times its size. `unpacked` is meaningful only if it is done.
/// Fails: for anything behind the last member.
/// Cost: O(size unpacked).
[[nodiscard]] unpacking gunzip(std::string_view packed, std::string& unpacked, std::size_t most);

}  // namespace hbm::trace
