#include "compare/text/gzip.hpp"

#ifdef HBM_HAVE_ZLIB
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <zlib.h>
#endif

namespace hbm::trace {

#ifdef HBM_HAVE_ZLIB

namespace {

/// Unpacks all members of a gzip file, portion by portion.
class inflater {
public:
    explicit inflater(std::string_view packed) : packed_(packed) {
        constexpr int gzip_with_largest_window = 16 + 15;
        status_ = inflateInit2(&stream_, gzip_with_largest_window);
    }
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;
    ~inflater() { inflateEnd(&stream_); }

    /// Writes the next bytes, at most `most`, and returns their number: 0 at the end, or where the file is damaged.
    std::size_t read(char* target, std::size_t most) {
        const std::size_t wanted = std::min(most, max_at_once);
        stream_.next_out = reinterpret_cast<Bytef*>(target);
        stream_.avail_out = static_cast<uInt>(wanted);
        while (stream_.avail_out != 0 && (status_ == Z_OK || status_ == Z_BUF_ERROR)) {
            if (stream_.avail_in == 0) {
                const std::size_t rest = packed_.size() - fed_;
                if (rest == 0 && status_ == Z_BUF_ERROR) break;
                const std::size_t feed = std::min(rest, max_at_once);
                // zlib takes a pointer to mutable bytes and only reads them.
                stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data() + fed_));
                stream_.avail_in = static_cast<uInt>(feed);
                fed_ += feed;
            }
            status_ = inflate(&stream_, Z_NO_FLUSH);
            if (status_ == Z_STREAM_END && has_member()) status_ = inflateReset(&stream_);
        }
        return wanted - stream_.avail_out;
    }

    /// Returns true if the last member is complete.
    [[nodiscard]] bool is_complete() const noexcept { return status_ == Z_STREAM_END; }

private:
    /// Returns true if anything follows the member that just ended, except bytes of zero that fill a block.
    [[nodiscard]] bool has_member() const noexcept {
        return packed_.find_first_not_of('\0', fed_ - stream_.avail_in) != std::string_view::npos;
    }

    static constexpr std::size_t max_at_once = std::numeric_limits<unsigned>::max();

    std::string_view packed_;
    z_stream stream_{};
    std::size_t fed_ = 0;
    int status_ = Z_OK;
};

}  // namespace

unpacking gunzip(std::string_view packed, std::size_t most, portions& content, std::size_t& size) {
    inflater first(packed);
    std::array<char, 65536> bytes;
    size = 0;
    while (const std::size_t got = first.read(bytes.data(), bytes.size())) {
        size += got;
        if (size > most) return unpacking::too_large;
    }
    if (!first.is_complete()) return unpacking::damaged;
    content = [second = std::make_shared<inflater>(packed)](char* target, std::size_t length) {
        return second->read(target, length);
    };
    return unpacking::done;
}

#elif defined(__EMSCRIPTEN__)

// The page unpacks files before the program reads them. One that it could not unpack is damaged, or too large if the
// page cleared its method of compression.
unpacking gunzip(std::string_view packed, std::size_t, portions&, std::size_t&) {
    return packed.size() > 2 && packed[2] == 0 ? unpacking::too_large : unpacking::damaged;
}

#else

unpacking gunzip(std::string_view, std::size_t, portions&, std::size_t&) {
    return unpacking::without_zlib;
}

#endif

unpacking gunzip(std::string_view packed, std::string& unpacked, std::size_t most) {
    portions content;
    std::size_t size = 0;
    const unpacking outcome = gunzip(packed, most, content, size);
    unpacked.clear();
    if (outcome != unpacking::done) return outcome;
    unpacked.resize(size);
    for (std::size_t got = 0; got != size;) {
        const std::size_t more = content(unpacked.data() + got, size - got);
        if (more == 0) return unpacking::damaged;  // without memory for a second reading
        got += more;
    }
    return outcome;
}

}  // namespace hbm::trace
