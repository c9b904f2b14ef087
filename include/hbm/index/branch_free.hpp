#pragma once

#include <hbm/core/language.hpp>

#include <type_traits>

namespace hbm::inline v0 {

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

}  // namespace hbm::inline v0
