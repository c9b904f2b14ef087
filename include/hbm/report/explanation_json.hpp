#pragma once

/// An explanation for machines.

#include <hbm/report/explanation.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hbm {

namespace detail {

/// Writes JSON piece by piece; puts the commas where they belong.
class explanation_writer {
public:
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    void begin(char bracket) { separated() += bracket; }
    void end(char bracket) { text_ += bracket; }
    void key(std::string_view name) {
        string(name);
        text_ += ':';
    }
    void number(std::uint64_t value) { separated() += std::to_string(value); }
    void boolean(bool value) { separated() += value ? "true" : "false"; }
    void null() { separated() += "null"; }
    /// Quotes, backslashes and control characters are escaped; bytes that are no UTF-8 become U+FFFD.
    void string(std::string_view value) {
        separated() += '"';
        for (std::size_t at = 0; at < value.size();) {
            const auto byte = static_cast<unsigned char>(value[at]);
            const std::size_t length = length_of_utf8(value.substr(at));
            if (length == 0) {
                text_ += "\\ufffd";
                ++at;
            } else if (byte < 0x20) {
                text_ += "\\u00";
                text_ += "0123456789abcdef"[byte / 16];
                text_ += "0123456789abcdef"[byte % 16];
                ++at;
            } else {
                if (byte == '"' || byte == '\\') text_ += '\\';
                text_ += value.substr(at, length);
                at += length;
            }
        }
        text_ += '"';
    }

private:
    std::string& separated() {
        const char last = text_.empty() ? '[' : text_.back();
        if (last != '[' && last != '{' && last != ':') text_ += ',';
        return text_;
    }
    /// How many bytes the first character has; 0 if it is none.
    [[nodiscard]] static std::size_t length_of_utf8(std::string_view rest) noexcept {
        const auto at = [&](std::size_t i) -> unsigned {
            return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0u;
        };
        const unsigned first = at(0);
        if (first < 0x80) return 1;
        const std::size_t length = first >= 0xf0 && first <= 0xf4  ? 4
                                   : first >= 0xe0 && first < 0xf0 ? 3
                                   : first >= 0xc2 && first < 0xe0 ? 2
                                                                   : 0;
        for (std::size_t i = 1; i < length; ++i)
            if (at(i) >> 6 != 2) return 0;
        // Overlong forms, surrogates, and what lies beyond Unicode.
        if ((first == 0xe0 && at(1) < 0xa0) || (first == 0xed && at(1) > 0x9f) || (first == 0xf0 && at(1) < 0x90) ||
            (first == 0xf4 && at(1) > 0x8f))
            return 0;
        return length;
    }

    std::string text_;
};

}  // namespace detail

/// One object. Integers are bytes or nanoseconds; every key is always there; what does not apply is null.
[[nodiscard]] inline std::string to_json(const explanation& what) {
    constexpr const char* causes[] = {"none", "call", "capped_bottom", "scattered", "too_little_free"};
    constexpr const char* verdicts[] = {"found", "none_found", "not_enough_bytes", "walls"};
    constexpr const char* kinds[] = {"hole", "buffer", "code", "scratch", "reservation", "freed_buffer"};
    constexpr const char* steps[] = {"wait", "evict", "move"};
    detail::explanation_writer json;
    const auto number = [&](std::string_view name, std::uint64_t value) {
        json.key(name);
        json.number(value);
    };
    const auto number_or_null = [&](std::string_view name, const std::optional<std::uint64_t>& value) {
        json.key(name);
        value ? json.number(*value) : json.null();
    };
    const auto string = [&](std::string_view name, std::string_view value) {
        json.key(name);
        json.string(value);
    };
    const auto list = [&](std::string_view name, const auto& items, auto write) {
        json.key(name);
        json.begin('[');
        for (std::size_t i = 0; i < items.size(); ++i) write(items[i], i);
        json.end(']');
    };

    const auto block = [&](const named_block& named) {
        json.begin('{');
        string("kind", kinds[static_cast<std::size_t>(named.block.kind)]);
        string("name", named.name);
        number("offset", named.block.where.offset);
        number("bytes", named.block.where.size);
        number("pins", named.block.pins);
        number("runs_in_flight", named.block.holds);
        json.key("may_move");
        json.boolean(named.may_move);
        json.end('}');
    };

    json.begin('{');
    string("schema", "hbm-explanation/1");
    string("message", what.message);
    string("cause", causes[static_cast<std::size_t>(what.trouble)]);
    number("requested_bytes", what.why.requested);
    number("free_bytes", what.why.free);
    number("largest_free_bytes", what.why.largest_free);
    number("shortfall_bytes", what.shortfall);
    number("missing_after_everything_bytes", what.missing);
    list("culprits", what.culprits, [&](const named_block& culprit, std::size_t) { block(culprit); });
    string("verdict", verdicts[static_cast<std::size_t>(what.conclusion)]);
    list("remedies", what.remedies, [&](const named_advice& given, std::size_t) {
        const bool at_once = !given.what.ask_for && !given.what.capacity;
        json.begin('{');
        number_or_null("nanoseconds", at_once ? std::optional{given.what.nanoseconds()} : std::nullopt);
        list("unpin", given.unpinned, [&](const named_block& pinned, std::size_t) { block(pinned); });
        list("steps", given.what.steps.steps, [&](const step& next, std::size_t i) {
            json.begin('{');
            string("what", steps[static_cast<std::size_t>(next.what)]);
            string("name", given.steps[i].name);
            number_or_null("from", next.what == remedy::move ? std::optional{next.from} : std::nullopt);
            number_or_null("to", next.what == remedy::move ? std::optional{next.to} : std::nullopt);
            number("bytes", next.bytes);
            number("nanoseconds", next.nanoseconds);
            json.end('}');
        });
        list("donate", given.what.donate, [&](std::uint32_t argument, std::size_t) { json.number(argument); });
        number_or_null("ask_for_bytes", given.what.ask_for);
        number_or_null("capacity_bytes", given.what.capacity);
        json.end('}');
    });
    json.end('}');
    return json.text();
}

}  // namespace hbm
