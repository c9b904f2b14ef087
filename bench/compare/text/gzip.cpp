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

struct inflater {
    z_stream stream{};
    int status;

    inflater() {
        constexpr int gzip_with_largest_window = 16 + 15;
        status = inflateInit2(&stream, gzip_with_largest_window);
    }
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;
    ~inflater() { inflateEnd(&stream); }
};

}  // namespace

unpacking gunzip(std::string_view packed, std::string& unpacked, std::size_t most) {
    inflater from;
    z_stream& stream = from.stream;
    std::array<char, 65536> bytes;
    unpacked.clear();
    for (std::size_t fed = 0; from.status == Z_OK || from.status == Z_BUF_ERROR;) {
        if (stream.avail_in == 0) {
            const std::size_t feed = std::min<std::size_t>(packed.size() - fed, std::numeric_limits<unsigned>::max());
            if (feed == 0 && from.status == Z_BUF_ERROR) break;
            // zlib takes a pointer to mutable bytes and only reads them.
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + fed));
            stream.avail_in = static_cast<uInt>(feed);
            fed += feed;
        }
        stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
        stream.avail_out = static_cast<uInt>(bytes.size());
        from.status = inflate(&stream, Z_NO_FLUSH);
        const std::size_t got = bytes.size() - stream.avail_out;
        if (got > most - unpacked.size()) return unpacking::too_large;
        unpacked.append(bytes.data(), got);
        // Another member may follow; bytes of zero that fill a block are none.
        const bool has_more = packed.find_first_not_of('\0', fed - stream.avail_in) != std::string_view::npos;
        if (from.status == Z_STREAM_END && has_more) from.status = inflateReset(&stream);
    }
    return from.status == Z_STREAM_END ? unpacking::done : unpacking::damaged;
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
