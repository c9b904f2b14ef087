#pragma once

#include <hbm/core/language.hpp>

namespace hbm::inline v0 {

/// A type that can be default-constructed, copied and assigned. `std::semiregular` also needs `std::swappable` and its
/// relatives: a quarter of the cost of compiling <hbm/hbm.hpp>.
template <class T>
concept semiregular_value = requires(T value, const T other) {
    T{};
    T(other);
    value = other;
};

/// A semiregular type with `==`, such as every policy.
template <class T>
concept regular_value = semiregular_value<T> && requires(const T other) {
    static_cast<bool>(other == other);
};

}  // namespace hbm::inline v0
