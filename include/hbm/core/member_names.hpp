#pragma once

/// Whether a class has a member of a given name, whatever its parameters, its result and its access: how a policy's
/// near misses are told from what it leaves out. `&T::choose` alone finds no templates, overloads and private members.

#include <type_traits>

namespace hbm::detail {

struct named_choose {
    int choose;
};
struct named_evicted {
    int evicted;
};
struct named_copy {
    int copy;
};
struct named_on {
    int on;
};

/// The members of two classes: a name that both have is ambiguous.
template <class T, class Name>
struct members_of_both : T, Name {};

template <class T>
concept can_be_a_base = std::is_class_v<T> && !std::is_final_v<T>;
template <class T>
concept has_choose = can_be_a_base<T> && !requires {
    &members_of_both<T, named_choose>::choose;
};
template <class T>
concept has_evicted = can_be_a_base<T> && !requires {
    &members_of_both<T, named_evicted>::evicted;
};
template <class T>
concept has_copy = can_be_a_base<T> && !requires {
    &members_of_both<T, named_copy>::copy;
};
template <class T>
concept has_on = can_be_a_base<T> && !requires {
    &members_of_both<T, named_on>::on;
};

}  // namespace hbm::detail
