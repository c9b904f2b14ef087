#pragma once

#include <hbm/core/language.hpp>

#include <bit>
#include <type_traits>

namespace hbm::inline v0::detail {

/// Returns `condition != 0 ? chosen : otherwise` without a branch, for conditions that are unpredictable. g++ 12 may
/// compile the expression itself to a branch; this forces a conditional move on x86-64.
template <class Condition, class Value>
[[nodiscard, gnu::always_inline]] constexpr Value select(Condition condition, Value chosen, Value otherwise) noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
    if (!std::is_constant_evaluated()) {
        asm("test %[condition], %[condition]\n\tcmovne %[chosen], %[value]"
            : [value] "+r"(otherwise)
            : [condition] "r"(condition), [chosen] "rm"(chosen)
            : "cc");
        return otherwise;
    }
#endif
    return condition != 0 ? chosen : otherwise;
}

/// Returns the position of the highest bit of `value`, an unsigned number that is not 0. `bsr`, which compilers use
/// for any x86-64 processor, keeps a Zen 3 busy for four cycles. Its prefix makes it the faster `lzcnt`, which counts
/// from the other end; processors without that ignore the prefix. The position of bit 0 tells which of them this is.
template <class Number>
[[nodiscard, gnu::always_inline]] constexpr unsigned highest_bit(Number value) noexcept {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__LZCNT__)
    if (!std::is_constant_evaluated()) {
        Number counted, none;
        asm("rep bsr %[value], %[counted]" : [counted] "=r"(counted) : [value] "r"(value) : "cc");
        asm("rep bsr %[value], %[counted]" : [counted] "=r"(none) : [value] "r"(Number{1}) : "cc");
        return static_cast<unsigned>(counted ^ none);
    }
#endif
    return static_cast<unsigned>(std::bit_width(value)) - 1;
}

}  // namespace hbm::inline v0::detail
