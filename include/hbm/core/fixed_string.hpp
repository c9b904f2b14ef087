#pragma once

#include <hbm/core/language.hpp>

#include <cstddef>

namespace hbm::inline v0 {

/// A zero-terminated string of `Length` characters, usable in constant expressions.
///
/// Names of policies are joined while compiling, `compacting<` and `best_fit` and `>`, so that a type can print itself
/// without RTTI and without a table.
template <std::size_t Length>
struct fixed_string {
    char text[Length + 1] = {};

    constexpr fixed_string() = default;
    /// Constructs from a literal: `fixed_string{"best_fit"}`.
    constexpr fixed_string(const char (&literal)[Length + 1]) {  // NOLINT: implicit, for literals
        for (std::size_t i = 0; i < Length; ++i) text[i] = literal[i];
    }

    [[nodiscard]] constexpr const char* c_str() const noexcept { return text; }
    [[nodiscard]] static constexpr std::size_t size() noexcept { return Length; }
};

template <std::size_t Size>
fixed_string(const char (&)[Size]) -> fixed_string<Size - 1>;

/// Returns `left` followed by `right`.
template <std::size_t Left, std::size_t Right>
[[nodiscard]] constexpr fixed_string<Left + Right> operator+(const fixed_string<Left>& left,
                                                             const fixed_string<Right>& right) {
    fixed_string<Left + Right> joined;
    for (std::size_t i = 0; i < Left; ++i) joined.text[i] = left.text[i];
    for (std::size_t i = 0; i < Right; ++i) joined.text[Left + i] = right.text[i];
    return joined;
}

/// A type with a static `fixed_string` called `name`, as every policy has.
template <class T>
concept names_itself = requires {
    *&T::name + fixed_string{""};
};

}  // namespace hbm::inline v0
