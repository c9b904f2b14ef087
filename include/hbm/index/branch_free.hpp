#pragma once

/// Choices that no processor can guess, made without a branch.

#include <type_traits>

namespace hbm {

/// `value`, of which the compiler knows nothing: what is computed with it stays computed and becomes no branch.
template <class Unsigned>
[[nodiscard, gnu::always_inline]] constexpr Unsigned opaque(Unsigned value) noexcept {
    if (!std::is_constant_evaluated()) asm("" : "+r"(value));
    return value;
}

/// All ones if `condition`, else 0, for use as a mask.
template <class Unsigned>
[[nodiscard, gnu::always_inline]] constexpr Unsigned mask_if(bool condition) noexcept {
    return opaque(static_cast<Unsigned>(Unsigned{0} - static_cast<Unsigned>(condition)));
}

}  // namespace hbm
