#pragma once

#include <concepts>
#include <cstddef>

namespace hbm::inline v0::detail {

/// A text that ends in a zero, such as std::string, whose header is not included.
template <class Text>
concept has_c_str = requires(const Text& text) {
    { text.c_str() } -> std::convertible_to<const char*>;
};

/// A text that may not end in a zero, such as std::string_view.
template <class Text>
concept unterminated = !has_c_str<Text> && requires(const Text& text) {
    { text.data() } -> std::convertible_to<const char*>;
    { text.size() } -> std::convertible_to<std::size_t>;
};

/// A type without values, for deleted overloads that take empty braces.
struct no_member {
    no_member() = delete;
};

}  // namespace hbm::inline v0::detail
