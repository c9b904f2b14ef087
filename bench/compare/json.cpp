#include "compare/records.hpp"

namespace hbm::compare {

namespace {

/// How many bytes of valid UTF-8 begin at `at`; 0 when none do. Overlong forms, surrogates and what is beyond Unicode
/// are not valid.
std::size_t valid_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t where) {
        return where < text.size() ? static_cast<unsigned char>(text[where]) : 0U;
    };
    const unsigned lead = byte(at);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    const unsigned second = byte(at + 1);
    const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (second < least || second > most) return 0;
    for (std::size_t next = 2; next < length; ++next)
        if (byte(at + next) < 0x80 || byte(at + next) > 0xbf) return 0;
    return length;
}

void add_escaped(std::string& into, char control) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(control);
    into += "\\u00";
    into += digits[value >> 4U];
    into += digits[value & 15U];
}

/// A JSON string. Bytes that are no UTF-8 become the replacement character.
void add_string(std::string& into, std::string_view text) {
    into += '"';
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = valid_length(text, at);
        const char each = text[at];
        if (length == 0)
            into += "\xef\xbf\xbd";
        else if (each == '"' || each == '\\')
            (into += '\\') += each;
        else if (static_cast<unsigned char>(each) < 0x20 || each == 0x7f)
            add_escaped(into, each);
        else
            into += text.substr(at, length);
        at += length == 0 ? 1 : length;
    }
    into += '"';
}

void add_record(std::string& into, const record& each) {
    into += '{';
    for (const field& one : each) {
        if (into.back() != '{') into += ',';
        add_string(into, one.key);
        into += ':';
        if (!one.value)
            into += "null";
        else if (one.is_text)
            add_string(into, *one.value);
        else
            into += *one.value;
    }
    into += '}';
}

}  // namespace

std::string json_text(const std::vector<record>& all) {
    std::string text = "{\"schema\":\"hbm-compare/1\",\"rows\":[";
    for (const record& each : all) {
        text += &each == &all.front() ? "\n" : ",\n";
        add_record(text, each);
    }
    return text + "\n]}\n";
}

}  // namespace hbm::compare
