#include <cstddef>

#include "compare/page/packed/trace_blocks.hpp"

#ifdef HBM_HAVE_ZLIB
#include <zlib.h>
#endif

namespace hbm::compare {

void add_number(std::string& bytes, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
    bytes += static_cast<char>(number);
}

void add_big_endian(std::string& bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t byte = at; byte < at + 3; ++byte)
            group = group << 8 | (byte < bytes.size() ? static_cast<unsigned char>(bytes[byte]) : 0U);
        for (std::size_t digit = 0; digit < 4; ++digit)
            text += at + digit <= bytes.size() ? digits[group >> (18 - 6 * digit) & 63] : '=';
    }
    return text;
}

std::string stored_stream(std::string_view bytes) {
    constexpr std::size_t longest_block = 65535;
    std::string stream = "\x78\x01";
    std::size_t at = 0;
    do {
        const std::string_view block = bytes.substr(at, longest_block);
        const auto size = static_cast<unsigned>(block.size());
        at += block.size();
        stream += static_cast<char>(at == bytes.size() ? 1 : 0);
        for (const unsigned part : {size, size >> 8, ~size, ~size >> 8}) stream += static_cast<char>(part & 0xff);
        stream += block;
    } while (at < bytes.size());
    std::uint32_t sum = 1;
    std::uint32_t sum_of_sums = 0;
    for (const char byte : bytes) {
        sum = (sum + static_cast<unsigned char>(byte)) % 65521;
        sum_of_sums = (sum_of_sums + sum) % 65521;
    }
    add_big_endian(stream, sum_of_sums << 16 | sum);
    return stream;
}

std::string zlib_stream(std::string_view bytes) {
#ifdef HBM_HAVE_ZLIB
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string stream(size, '\0');
    const int error =
        compress2(reinterpret_cast<Bytef*>(stream.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
    stream.resize(size);
    if (error == Z_OK) return stream;
#endif
    return stored_stream(bytes);
}

}  // namespace hbm::compare
