#pragma once

#include <hbm/core/language.hpp>

namespace hbm {

/// Made by default, copied, assigned. As `std::semiregular`, without what nobody here asks for: `std::swappable` and
/// its kin made up a quarter of what a compiler had to do for the umbrella header.
template <class T>
concept semiregular_value = requires(T value, const T given) {
    T{};
    T(given);
    value = given;
};

/// The same, and compared with `==`: what every policy is.
template <class T>
concept regular_value = semiregular_value<T> && requires(const T given) {
    static_cast<bool>(given == given);
};

}  // namespace hbm
