#pragma once
// Unpacks gzip files through zlib. The only header that needs zlib; include it where zlib was found.

#include <cstddef>
#include <string>
#include <vector>

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

/// Unpacks a gzip file, which may consist of several members, to at most `most` bytes: a small file can unpack to a
/// thousand times its size. It is unpacked twice, first to learn its size: what is too large takes no memory, and what
/// is not takes no more than its size. O(size unpacked).
unpacking gunzip_at_most(const std::vector<char>& packed, std::string& unpacked, std::size_t most);

/// The same up to `most_unpacked` bytes. A decompressor for `read_file`. O(size unpacked).
unpacking gunzip(const std::vector<char>& packed, std::string& unpacked);

}  // namespace hbm::trace
