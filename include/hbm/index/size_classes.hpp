#pragma once

#include <hbm/index/branch_free.hpp>

#include <cstdint>

namespace hbm::inline v0::detail {

/// Size classes as in a small floating-point number (Masmano et al., "TLSF", 2004): each size below `per_doubling` has
/// its own class, and each doubling above has `per_doubling` classes of equal width.
template <class Quanta, unsigned PerDoublingLog2 = 5>
struct size_classes {
    static constexpr unsigned per_doubling = 1u << PerDoublingLog2;
    static constexpr unsigned bits = sizeof(Quanta) * 8;
    static constexpr unsigned count = (bits - PerDoublingLog2 + 1) * per_doubling;

    /// Returns the class of `size`, monotonically; branch-free.
    [[nodiscard]] static constexpr unsigned of(Quanta size) noexcept {
        // Setting the bit of `per_doubling` makes all smaller sizes look as if they were in the first doubling, where
        // the shift is 0 and the class is the size.
        const unsigned doubling = highest_bit(static_cast<Quanta>(size | per_doubling)) - PerDoublingLog2;
        return (doubling << PerDoublingLog2) + static_cast<unsigned>(size >> doubling);
    }
};

}  // namespace hbm::inline v0::detail
