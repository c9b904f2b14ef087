#pragma once

/// Choices that no processor can guess, made without a branch.

#include <hbm/core/language.hpp>

#include <type_traits>

namespace hbm {

/// `chosen` unless `condition` is 0, then `otherwise`: what `condition != 0 ? chosen : otherwise` is. g++ 12 makes a
/// branch of that where it thinks it knows better; here an x86-64 processor is told to select.
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

}  // namespace hbm
