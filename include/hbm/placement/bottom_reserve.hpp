#pragma once

#include <hbm/fwd.hpp>
#include <hbm/placement/placement.hpp>

namespace hbm::inline v0 {

/// Adaptor that reserves scratch from the bottom up and places everything else from the top; the hole next to the
/// reservation is the last choice. The messages of the TPU runtime suggest this layout: `[ reservation | free | buffers
/// ]`. Alignment stays absolute: the reservation may end anywhere. `Sharing` is `scratch_sharing::shared` by default.
template <class P, scratch_sharing Sharing>
class bottom_reserve : public from_the_top_t<P> {
    static_assert(check_placement<P>());
    static_assert(imports<P>,
                  "bottom_reserve<P> needs a placement that takes a given range: block_index occupy(range)");
    static_assert(!reserves<P>, "bottom_reserve<P> needs a placement that does not reserve yet: write it once");

    using base = from_the_top_t<P>;

public:
    using typename base::quanta;

    static constexpr auto name = fixed_string{"bottom_reserve<"} + P::name + [] {
        if constexpr (Sharing == scratch_sharing::shared)
            return fixed_string{">"};
        else
            return fixed_string{",per_program>"};
    }();
    static constexpr scratch_sharing sharing = Sharing;

    using base::base;
    /// True when a `bottom_reserve<Other, Sharing>` converts to this type.
    template <class Other>
    static constexpr bool takes_over = std::constructible_from<base, const from_the_top_t<Other>&>;
    /// Copies the blocks and the reservation of another placement.
    template <class Other>
    requires(takes_over<Other>) constexpr explicit bottom_reserve(const bottom_reserve<Other, Sharing>& other)
        : base(static_cast<const from_the_top_t<Other>&>(other)) {}

    /// Places from the top, unless the ends are already chosen. The hole above the reservation is the last choice.
    /// Cost: one placement of `P`; two without `spares_reservable`.
    [[gnu::always_inline]] constexpr block_index place(const need<quanta>& n) {
        if (spares_reservable<base> && !n.ends_chosen && n.at != end::either && n.alignment == 1 && n.avoid_below == 0)
            return base::place(
                need<quanta>{.length = n.length, .from = end::high, .at = end::high, .expected = n.expected});
        return place_slow(n);
    }
    /// Out-of-line `place()` for slow paths.
    constexpr block_index place_cold(const need<quanta>& n) { return place_slow(n); }

    /// Resizes the reservation to `[0, size)`; 0 ends it. Returns false, without effect, if the space above is taken.
    /// Cost: a release, and an import at the bottom.
    [[gnu::cold]] constexpr bool reserve(quanta size) {
        // The reservation is a block at offset 0. It is freed and placed again with the other size, rather than
        // stretched: so the far hole, which lies right above it, moves along in one way for all placements. Growth was
        // checked before, so the second step cannot fail.
        const quanta present = reserved();
        if (size > present && size - present > reservable()) return false;
        if (size == present) return true;
        if (present != 0) {
            const block_index before = map().reservation();
            change_reservation(map().bottom);
            base::release(before);
        }
        if (size == 0) return true;
        const block_index reservation = base::occupy({0, size});
        map().set_owner(reservation, block_kind::reservation, 0);
        change_reservation(reservation);
        return true;
    }

    [[nodiscard]] constexpr quanta reserved() const noexcept { return map().size(map().reservation()); }

    /// Returns the contiguous free quanta directly above the reservation.
    /// Cost: O(1); for buddy O(log capacity).
    [[nodiscard]] constexpr quanta reservable() const noexcept {
        quanta run = 0;
        for (block_index block = map().next(map().reservation()); block != no_block && map().is_hole(block);
             block = map().next(block))
            run = static_cast<quanta>(run + map().size(block));
        return run;
    }

    friend constexpr bool operator==(const bottom_reserve&, const bottom_reserve&) = default;

    using base::map;

private:
    [[gnu::cold, gnu::noinline]] constexpr block_index place_slow(need<quanta> n) {
        if (!n.ends_chosen) n.from = end::high;
        if (!n.ends_chosen && n.at != end::either) n.at = end::high;
        if constexpr (!spares_reservable<base>) {
            // Placements without a far hole, such as `buddy`, search twice: first without the holes that a reservation
            // could grow into, then with them.
            n.avoid_below = static_cast<quanta>(reserved() + reservable());
            const block_index block = detail::place_cold(base_blocks(), n);
            if (block != no_block || n.avoid_below == reserved()) return block;
            n.avoid_below = 0;
        }
        return detail::place_cold(base_blocks(), n);
    }
    [[nodiscard]] constexpr base& base_blocks() noexcept { return *this; }
    [[gnu::cold]] constexpr void change_reservation(block_index block) {
        if constexpr (spares_reservable<base>)
            base::set_reservation(block);
        else
            map().set_reservation(block);
    }
};

}  // namespace hbm::inline v0
