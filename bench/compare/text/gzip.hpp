#pragma once
// Unpacks gzip files through zlib. The only header that needs zlib; include it where zlib was found.

#include <cstddef>
#include <string>
#include <vector>

#include "compare/text/unpacking.hpp"

namespace hbm::trace {

/// Unpacks a gzip file, which may consist of several members, to at most `most` bytes: a small file can unpack to a
/// thousand times its size. It is unpacked twice, first to learn its size: what is too large takes no memory, and what
/// is not takes no more than its size. O(size unpacked).
unpacking gunzip_at_most(const std::vector<char>& packed, std::string& unpacked, std::size_t most);

/// The same up to `most_unpacked` bytes. A decompressor for `read_file`. O(size unpacked).
unpacking gunzip(const std::vector<char>& packed, std::string& unpacked);

}  // namespace hbm::trace
