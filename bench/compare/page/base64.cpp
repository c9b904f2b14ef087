#include <cstddef>

#include "compare/page/bytes.hpp"

namespace hbm::compare {

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

}  // namespace hbm::compare
