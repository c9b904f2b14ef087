#pragma once
// Unpacks gzip files through zlib. The only header that needs zlib; include it only if zlib is available.

#include <cstddef>
#include <string>
#include <vector>

namespace hbm::trace {

/// Outcome of unpacking.
enum class unpacking { done, damaged, too_large };

/// Returns the limit on the unpacked size of a file of `packed` bytes: 256 times its size, and at least 32 MiB.
/// Recorded traces pack to a fourth or a tenth, repetitive logs to a hundredth. A file that is made to fill memory
/// packs to a thousandth.
[[nodiscard]] constexpr std::size_t most_unpacked(std::size_t packed) noexcept {
    constexpr std::size_t always = std::size_t{32} << 20U;
    constexpr std::size_t times = 256;
    if (packed > ~std::size_t{0} / times) return ~std::size_t{0};
    return packed * times < always ? always : packed * times;
}

/// Unpacks a gzip file, which may consist of several members, to at most `most` bytes: a small file can unpack to a
/// thousand times its size. The first of two passes determines the size. A file beyond the limit thus takes no memory,
/// and any other no more than its size.
/// Cost: O(size unpacked).
unpacking gunzip_at_most(const std::vector<char>& packed, std::string& unpacked, std::size_t most);

/// Unpacks a gzip file to at most `most_unpacked` bytes. A decompressor for `read_file`. Cost: O(size unpacked).
unpacking gunzip(const std::vector<char>& packed, std::string& unpacked);

}  // namespace hbm::trace
