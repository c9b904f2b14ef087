#include "compare/text/json_writer.hpp"

namespace hbm {

std::size_t json_writer::valid_length(std::string_view text, std::size_t at) noexcept {
    const auto byte = [&](std::size_t where) {
        return where < text.size() ? static_cast<unsigned char>(text[where]) : 0U;
    };
    const unsigned lead = byte(at);
    if (lead < 0x80) return 1;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte(at + 1) < least || byte(at + 1) > most) return 0;
    for (std::size_t next = 2; next < length; ++next)
        if (byte(at + next) < 0x80 || byte(at + next) > 0xbf) return 0;
    return length;
}

void json_writer::add_string(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    text_ += '"';
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = valid_length(text, at);
        const auto byte = static_cast<unsigned char>(text[at]);
        if (length == 0)
            text_ += "\xef\xbf\xbd";
        else if (byte == '"' || byte == '\\')
            (text_ += '\\') += text[at];
        else if (byte < 0x20 || byte == 0x7f)
            ((text_ += "\\u00") += digits[byte >> 4U]) += digits[byte & 15U];
        else
            text_ += text.substr(at, length);
        at += length == 0 ? 1 : length;
    }
    text_ += '"';
}

}  // namespace hbm
