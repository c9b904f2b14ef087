#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace hbm::inline v0 {

/// A placeholder of a text, without its braces, and the value that replaces it.
struct placeholder {
    std::string_view name;
    std::string value;

    placeholder(std::string_view key, std::string replacement)
        : name(key), value(static_cast<std::string&&>(replacement)) {}
    template <std::unsigned_integral Number>
    placeholder(std::string_view key, Number number) : name(key), value(std::to_string(number)) {}
};

/// Returns `text` with every `{name}` replaced by the value of that placeholder; braces without a value stay.
/// Values are not searched for placeholders.
[[nodiscard]] inline std::string filled(std::string_view text, std::initializer_list<placeholder> values) {
    // A single pass from left to right, so a value that itself contains braces, such as a user's name of a buffer, is
    // never read as a placeholder. Texts have few placeholders: a linear search is enough.
    std::string result;
    for (;;) {
        const std::size_t open = text.find('{');
        result += text.substr(0, open);
        if (open == std::string_view::npos) return result;
        text.remove_prefix(open);
        const std::string_view name = text.substr(1, text.find('}') - 1);
        const placeholder* match = nullptr;
        for (const placeholder& value : values)
            if (value.name == name) match = &value;
        result += match != nullptr ? match->value : "{";
        text.remove_prefix(match != nullptr ? name.size() + 2 : 1);
    }
}

}  // namespace hbm::inline v0
