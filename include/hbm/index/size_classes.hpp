#pragma once

/// Sizes sorted into classes.

#include <hbm/core/language.hpp>

#include <bit>
#include <cstdint>

namespace hbm {

/// Classes as a small floating-point number would have them (Masmano et al., "TLSF", 2004): sizes below `per_doubling`
/// have a class of their own, every doubling above is cut into `per_doubling` classes of equal width.
template <class Quanta, unsigned PerDoublingLog2 = 5>
struct size_classes {
    static constexpr unsigned per_doubling = 1u << PerDoublingLog2;
    static constexpr unsigned bits = sizeof(Quanta) * 8;
    static constexpr unsigned count = (bits - PerDoublingLog2 + 1) * per_doubling;

    /// The class that `size` belongs to; never falls as the size grows. O(1), and without a branch.
    [[nodiscard]] static constexpr unsigned of(Quanta size) noexcept {
        const auto doubling =
            static_cast<unsigned>(std::bit_width(static_cast<Quanta>(size | per_doubling))) - 1 - PerDoublingLog2;
        return (doubling << PerDoublingLog2) + static_cast<unsigned>(size >> doubling);
    }
};

}  // namespace hbm
