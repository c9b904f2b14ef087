#pragma once

#include <hbm/core/language.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hbm::inline v0 {

/// A JSON writer with commas and escapes, without floating point.
/// Requires: callers alternate keys and values in objects, and end every object and array.
class json_writer {
public:
    void begin_object() { open('{'); }
    void end_object() { text_ += '}'; }
    void begin_array() { open('['); }
    void end_array() { text_ += ']'; }

    void key(std::string_view name) {
        separate();
        add_string(name);
        text_ += ':';
    }
    void value(std::string_view text) {
        separate();
        add_string(text);
    }
    void value(const char* text) { value(std::string_view{text}); }
    void value(std::uint64_t number, bool negative = false) {
        separate();
        if (negative) text_ += '-';
        text_ += std::to_string(number);
    }
    void value(std::uint32_t number) { value(std::uint64_t{number}); }
    void value(bool truth) {
        separate();
        text_ += truth ? "true" : "false";
    }
    /// Writes null if `number` is empty.
    void value(const std::optional<std::uint64_t>& number) { number ? value(*number) : null(); }
    void null() { literal("null"); }
    /// Appends `json` as it is.
    void literal(std::string_view json) {
        separate();
        text_ += json;
    }
    template <class Value>
    void field(std::string_view name, const Value& its_value) {
        key(name);
        value(its_value);
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Returns the length in bytes of the UTF-8 character at `at`.
    /// 0 if it is not valid: overlong forms, surrogates and code points beyond Unicode included.
    [[nodiscard]] static std::size_t valid_length(std::string_view text, std::size_t at) noexcept {
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

private:
    /// Appends a comma, except before a first value and after a key.
    void separate() {
        if (text_.empty()) return;
        const char last = text_.back();
        if (last != '{' && last != '[' && last != ':') text_ += ',';
    }
    void open(char bracket) {
        separate();
        text_ += bracket;
    }

    /// Appends a string; invalid bytes become the replacement character.
    void add_string(std::string_view text) {
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

    std::string text_;
};

}  // namespace hbm::inline v0
