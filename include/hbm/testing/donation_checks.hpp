#pragma once

#include <hbm/donation/donation.hpp>
#include <hbm/testing/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0::testing {

/// Checks a donation policy with random offers of a few sizes. Returns the rule that it breaks, or null.
template <donation D>
[[nodiscard]] const char* check_choice([[maybe_unused]] const D& policy, [[maybe_unused]] random_numbers random) {
    if constexpr (donates<D>) {
        std::array<std::uint64_t, 6> donors{};
        for (std::uint64_t& donor : donors) donor = random.below(5);
        const std::span<const std::uint64_t> offered(donors.data(), random.below(donors.size() + 1));
        const std::uint64_t size = 1 + random.below(4);
        const std::size_t chosen = policy.choose(offered, size);
        if constexpr (takes_first_of_a_size<D>) {
            std::size_t first = 0;
            while (first < offered.size() && offered[first] != size) ++first;
            if (chosen != (first < offered.size() ? first : no_donor))
                return "the donation policy does not choose the first donor of the output's size";
        }
        if (chosen == no_donor) return nullptr;
        if (chosen >= offered.size()) return "the donation policy chose a donor that was not offered";
        if (offered[chosen] == 0) return "the donation policy chose a donor that was taken";
        if (offered[chosen] < size) return "the donation policy chose a donor that is too short";
    }
    return nullptr;
}

}  // namespace hbm::inline v0::testing
