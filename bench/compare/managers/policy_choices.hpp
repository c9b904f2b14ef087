#pragma once

/// The policies of a shipped manager besides its placement, as values.

#include <cstdint>

namespace hbm::compare {

enum class eviction_choice : std::uint8_t { never, lru, greedy_dual, window };
enum class donation_choice : std::uint8_t { never, same_size, fitting };
enum class relief_choice : std::uint8_t { cheapest, compact_first, evict_first, rent_or_buy, never };

/// Policies that are chosen at run time and the permission to move blocks.
struct policy_choices {
    eviction_choice eviction = eviction_choice::never;
    donation_choice donation = donation_choice::never;
    relief_choice relief = relief_choice::cheapest;
    bool moves = false;

    friend constexpr bool operator==(const policy_choices&, const policy_choices&) = default;
};

}  // namespace hbm::compare
