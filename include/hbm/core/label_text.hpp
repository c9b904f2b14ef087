#pragma once

#include <hbm/core/trivial_vector.hpp>

#include <concepts>
#include <cstddef>

namespace hbm::inline v0::detail {

/// A text such as std::string or std::string_view, whose headers are not included.
template <class Text>
concept label_text = requires(const Text& text) {
    { text.data() } -> std::convertible_to<const char*>;
    { text.size() } -> std::convertible_to<std::size_t>;
};

/// Calls `act` with a text that ends in a zero, a copy unless `text` does.
template <label_text Text, class Act>
constexpr auto with_c_str(const Text& text, Act act) {
    // Only a text without a zero at its end is copied; names are short, and calls with such names are slow paths.
    if constexpr (requires { text.c_str(); }) return act(text.c_str());
    trivial_vector<char> copy(text.data(), text.data() + text.size());
    copy.push_back('\0');
    return act(static_cast<const char*>(copy.data()));
}

/// A type without values, for deleted overloads that take empty braces.
struct no_member {
    no_member() = delete;
};

}  // namespace hbm::inline v0::detail
