#pragma once

#include <hbm/donation/donation.hpp>

namespace hbm::inline v0 {

/// XLA's rule: an output takes over the first donor of exactly its size on the device.
struct donate_same_size {
    static constexpr fixed_string name{"donate_same_size"};
    /// The next search for the same size may start after the last donor found, see donation.hpp.
    static constexpr bool takes_first_of_a_size = true;

    /// Returns the index of the donor in `offered`, or `no_donor`. Sizes are in quanta.
    /// Cost: O(offered).
    [[nodiscard]] constexpr std::size_t choose(std::span<const std::uint64_t> offered,
                                               std::uint64_t size) const noexcept {
        for (std::size_t i = 0; i < offered.size(); ++i)
            if (offered[i] == size) return i;
        return no_donor;
    }

    friend constexpr bool operator==(const donate_same_size&, const donate_same_size&) = default;
};

static_assert(donation<donate_same_size> && donates<donate_same_size>);

}  // namespace hbm::inline v0
