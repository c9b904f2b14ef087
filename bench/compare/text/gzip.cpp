#include "compare/text/gzip.hpp"

#ifdef HBM_HAVE_ZLIB
#include <algorithm>
#include <array>
#include <limits>
#include <zlib.h>
#endif

namespace hbm::trace {

#ifdef HBM_HAVE_ZLIB

namespace {

/// Unpacks all members of a gzip file. Calls `take` with portions of at most 64 KiB, as long as it returns true.
template <class Take>
unpacking unpack(std::string_view packed, Take take) {
    constexpr int gzip_with_largest_window = 16 + 15;
    constexpr std::size_t max_at_once = std::numeric_limits<unsigned>::max();
    z_stream stream{};
    if (inflateInit2(&stream, gzip_with_largest_window) != Z_OK) return unpacking::damaged;
    std::array<char, 65536> portion;
    std::size_t fed = 0;
    int status = Z_OK;
    while (status == Z_OK || status == Z_BUF_ERROR) {
        if (stream.avail_in == 0) {
            const std::size_t rest = packed.size() - fed;
            if (rest == 0 && status == Z_BUF_ERROR) break;
            const std::size_t feed = std::min(rest, max_at_once);
            // zlib takes a pointer to mutable bytes and only reads them.
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + fed));
            stream.avail_in = static_cast<uInt>(feed);
            fed += feed;
        }
        stream.next_out = reinterpret_cast<Bytef*>(portion.data());
        stream.avail_out = static_cast<uInt>(portion.size());
        status = inflate(&stream, Z_NO_FLUSH);
        if (!take(std::string_view(portion.data(), portion.size() - stream.avail_out))) {
            inflateEnd(&stream);
            return unpacking::too_large;
        }
        const bool more = stream.avail_in != 0 || fed < packed.size();
        if (status == Z_STREAM_END && more) status = inflateReset(&stream);
    }
    inflateEnd(&stream);
    return status == Z_STREAM_END ? unpacking::done : unpacking::damaged;
}

}  // namespace

unpacking gunzip(std::string_view packed, std::string& unpacked, std::size_t most) {
    std::size_t size = 0;
    unpacked.clear();
    const unpacking found = unpack(packed, [&](std::string_view portion) {
        size += portion.size();
        return size <= most;
    });
    if (found != unpacking::done) return found;
    unpacked.reserve(size);
    return unpack(packed, [&](std::string_view portion) {
        unpacked.append(portion);
        return true;
    });
}

#elif defined(__EMSCRIPTEN__)

// The page unpacks files before the program reads them. One that it could not unpack is damaged, or too large if the
// page cleared its method of compression.
unpacking gunzip(std::string_view packed, std::string&, std::size_t) {
    return packed.size() > 2 && packed[2] == 0 ? unpacking::too_large : unpacking::damaged;
}

#else

unpacking gunzip(std::string_view, std::string&, std::size_t) {
    return unpacking::without_zlib;
}

#endif

}  // namespace hbm::trace
