#pragma once
/// The JSON that all outputs are written with.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hbm {

/// A JSON writer with commas and escapes, without floating point.
/// Requires: callers alternate keys and values in objects, and end every object and array.
class json_writer {
public:
    void begin_object() { open('{'); }
    void end_object() { text_ += '}'; }
    void begin_object(std::string_view name) {
        key(name);
        begin_object();
    }
    void begin_array() { open('['); }
    void end_array() { text_ += ']'; }
    void begin_array(std::string_view name) {
        key(name);
        begin_array();
    }

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
    /// Writes null if `text` is empty.
    void text_or_null(std::string_view name, std::string_view text) {
        key(name);
        text.empty() ? null() : value(text);
    }
    void literal(std::string_view name, std::string_view json) {
        key(name);
        literal(json);
    }

    /// Writes an array; `write(item)` writes the value of each item.
    template <class Items, class Write>
    void array(const Items& items, Write write) {
        begin_array();
        for (const auto& item : items) write(item);
        end_array();
    }
    template <class Items, class Write>
    void array(std::string_view name, const Items& items, Write write) {
        key(name);
        array(items, write);
    }
    /// Writes an array of objects; `write(item)` writes the fields of each item.
    template <class Items, class Write>
    void objects(const Items& items, Write write) {
        array(items, [&](const auto& item) {
            begin_object();
            write(item);
            end_object();
        });
    }
    template <class Items, class Write>
    void objects(std::string_view name, const Items& items, Write write) {
        key(name);
        objects(items, write);
    }
    /// Writes an array of values.
    template <class Items>
    void values(const Items& items) {
        array(items, [&](const auto& item) { value(item); });
    }
    template <class Items>
    void values(std::string_view name, const Items& items) {
        key(name);
        values(items);
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Removes the first character of a text in UTF-8, and returns it; U+FFFD for a byte that begins none, as in
    /// overlong forms, surrogates and code points beyond Unicode.
    /// Requires: the text is not empty.
    [[nodiscard]] static std::string_view take_character(std::string_view& text) noexcept;

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
    void add_string(std::string_view text);

    std::string text_;
};

}  // namespace hbm
