#include "compare/text/json_writer.hpp"

namespace hbm {

namespace {

/// Returns the length in bytes of the character that a text begins with; 0 if that is not valid.
std::size_t length_of_character(std::string_view text) noexcept {
    const auto byte = [&](std::size_t where) {
        return where < text.size() ? static_cast<unsigned char>(text[where]) : 0U;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < least || byte(1) > most) return 0;
    for (std::size_t next = 2; next < length; ++next)
        if (byte(next) < 0x80 || byte(next) > 0xbf) return 0;
    return length;
}

}  // namespace

std::string_view json_writer::take_character(std::string_view& text) noexcept {
    const std::size_t length = length_of_character(text);
    const std::string_view character = length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
    return character;
}

void json_writer::add_string(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    text_ += '"';
    while (!text.empty()) {
        const std::string_view character = take_character(text);
        const auto byte = static_cast<unsigned char>(character.front());
        if (byte == '"' || byte == '\\')
            (text_ += '\\') += character;
        else if (byte < 0x20 || byte == 0x7f)
            ((text_ += "\\u00") += digits[byte >> 4U]) += digits[byte & 15U];
        else
            text_ += character;
    }
    text_ += '"';
}

}  // namespace hbm
