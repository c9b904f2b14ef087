#pragma once
// Unpacks gzip files through zlib. The only header that needs zlib; include it where zlib was found.

#include <hbm/core/language.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>
#include <zlib.h>

namespace hbm::trace {

/// How unpacking ended.
enum class unpacking { done, damaged, too_large };

/// Unpacks a gzip file, which may consist of several members, to at most `most` bytes: a small file can unpack to a
/// thousand times its size. O(size unpacked).
inline unpacking gunzip_at_most(const std::vector<char>& packed, std::string& unpacked, std::size_t most) {
    constexpr int gzip_with_largest_window = 16 + 15;
    constexpr std::size_t max_at_once = std::numeric_limits<unsigned>::max();
    z_stream stream{};
    if (inflateInit2(&stream, gzip_with_largest_window) != Z_OK) return unpacking::damaged;
    std::array<char, 65536> portion;
    std::size_t fed = 0;
    int status = Z_OK;
    unpacked.clear();
    while (status == Z_OK || status == Z_BUF_ERROR) {
        if (stream.avail_in == 0) {
            const std::size_t rest = packed.size() - fed;
            if (rest == 0 && status == Z_BUF_ERROR) break;
            const std::size_t feed = rest < max_at_once ? rest : max_at_once;
            // zlib takes a pointer to mutable bytes and only reads them.
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + fed));
            stream.avail_in = static_cast<uInt>(feed);
            fed += feed;
        }
        stream.next_out = reinterpret_cast<Bytef*>(portion.data());
        stream.avail_out = static_cast<uInt>(portion.size());
        status = inflate(&stream, Z_NO_FLUSH);
        const std::size_t got = portion.size() - stream.avail_out;
        if (got > most - unpacked.size()) {
            inflateEnd(&stream);
            return unpacking::too_large;
        }
        unpacked.append(portion.data(), got);
        const bool more = stream.avail_in != 0 || fed < packed.size();
        if (status == Z_STREAM_END && more) status = inflateReset(&stream);
    }
    inflateEnd(&stream);
    return status == Z_STREAM_END ? unpacking::done : unpacking::damaged;
}

/// The same without a limit. False when the file is damaged or truncated. A decompressor for `read_file`. O(size
/// unpacked).
inline bool gunzip(const std::vector<char>& packed, std::string& unpacked) {
    return gunzip_at_most(packed, unpacked, std::numeric_limits<std::size_t>::max()) == unpacking::done;
}

}  // namespace hbm::trace
