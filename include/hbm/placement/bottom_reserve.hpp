#pragma once

#include <hbm/placement/placement.hpp>

namespace hbm {

/// Scratch is reserved from the bottom up; everything else comes from the top and takes the hole next to the
/// reservation only when no other fits. This is what the messages of the TPU runtime suggest: `[ reservation | free |
/// buffers ]`. Alignment stays absolute: the reservation may end anywhere. `Sharing` is `scratch_sharing::shared` by
/// default.
template <placement P, scratch_sharing Sharing = scratch_sharing::shared>
requires imports<P>
class bottom_reserve : public P {
public:
    using typename P::quanta;

    static constexpr auto name = fixed_string{"bottom_reserve<"} + P::name + [] {
        if constexpr (Sharing == scratch_sharing::shared)
            return fixed_string{">"};
        else
            return fixed_string{",per_program>"};
    }();
    static constexpr scratch_sharing sharing = Sharing;

    using P::P;
    /// The same blocks and reservation under another placement, where that can be made of the present one.
    template <class Other>
    requires std::constructible_from<P, const Other&>
    constexpr explicit bottom_reserve(const bottom_reserve<Other, Sharing>& other)
        : P(static_cast<const Other&>(other)), reservation_(other.reservation_) {}

    /// Places from the top, unless the ends are ends_chosen; the hole above the reservation comes last. Cost of at most
    /// two placements of `P`.
    constexpr block_index place(need<quanta> n) {
        if (!n.ends_chosen) n.from = end::high;
        if (!n.ends_chosen && n.at != end::either) n.at = end::high;
        n.avoid_below = static_cast<quanta>(reserved() + reservable());
        const block_index block = P::place(n);
        if (block != no_block || n.avoid_below == reserved()) return block;
        n.avoid_below = 0;
        return P::place(n);
    }

    /// Makes `[0, size)` the reservation, be it larger or smaller than the present one; 0 ends it. False, and the state
    /// as it was, when the free run above is too short. Cost of a release and an import at the bottom.
    constexpr bool reserve(quanta size) {
        const quanta held = reserved();
        if (size > held && size - held > reservable()) return false;
        if (size == held) return true;
        if (reservation_ != no_block) P::release(reservation_);
        reservation_ = no_block;
        if (size == 0) return true;
        reservation_ = P::occupy({0, size});
        P::map().set_owner(reservation_, block_kind::reservation, 0);
        return true;
    }

    /// How much is reserved at the bottom. O(1).
    [[nodiscard]] constexpr quanta reserved() const noexcept {
        return reservation_ == no_block ? 0 : P::map().size(reservation_);
    }

    /// The contiguous free run directly above the reservation. O(1), for buddy O(log capacity).
    [[nodiscard]] constexpr quanta reservable() const noexcept {
        quanta run = 0;
        block_index block = reservation_ == no_block ? P::map().first() : P::map().next(reservation_);
        for (; block != no_block && P::map().is_hole(block); block = P::map().next(block))
            run = static_cast<quanta>(run + P::map().size(block));
        return run;
    }

    friend constexpr bool operator==(const bottom_reserve&, const bottom_reserve&) = default;

private:
    template <placement Other, scratch_sharing OtherSharing>
    requires imports<Other>
    friend class bottom_reserve;

    block_index reservation_ = no_block;
};

}  // namespace hbm
