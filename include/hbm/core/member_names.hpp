#pragma once

/// Detects members by name, whatever their parameters, result and access, so that `static_assert`s can explain near
/// misses of a policy. `&T::choose` alone does not find templates, overloads and private members.

#include <type_traits>

namespace hbm::inline v0::detail {

struct names_of_functions {
    int choose, evicted, copy, on;
};

/// A name declared in both bases is ambiguous.
template <class T>
struct with_names_of_functions : T, names_of_functions {};

template <class T>
concept can_be_a_base = std::is_class_v<T> && !std::is_final_v<T>;
template <class T>
concept has_choose = can_be_a_base<T> && !requires {
    &with_names_of_functions<T>::choose;
};
template <class T>
concept has_evicted = can_be_a_base<T> && !requires {
    &with_names_of_functions<T>::evicted;
};
template <class T>
concept has_copy = can_be_a_base<T> && !requires {
    &with_names_of_functions<T>::copy;
};
template <class T>
concept has_on = can_be_a_base<T> && !requires {
    &with_names_of_functions<T>::on;
};

}  // namespace hbm::inline v0::detail
