#pragma once

#include <hbm/donation/donation.hpp>

namespace hbm::inline v0 {

/// Outputs take over the smallest donor that holds them, ties to the first; the rest of the donor is freed.
struct donate_fitting {
    static constexpr fixed_string name{"donate_fitting"};

    /// Returns the index of the donor in `offered`, or `no_donor`. Sizes are in quanta.
    /// Cost: O(offered).
    [[nodiscard]] constexpr std::size_t choose(std::span<const std::uint64_t> offered,
                                               std::uint64_t size) const noexcept {
        // A donor of just the size ends the search; it leaves nothing over.
        std::size_t best = no_donor;
        for (std::size_t i = 0; i < offered.size(); ++i) {
            if (offered[i] < size || offered[i] == 0) continue;
            if (best == no_donor || offered[i] < offered[best]) best = i;
            if (offered[best] == size) break;
        }
        return best;
    }

    friend constexpr bool operator==(const donate_fitting&, const donate_fitting&) = default;
};

static_assert(donation<donate_fitting> && donates<donate_fitting>);

}  // namespace hbm::inline v0
