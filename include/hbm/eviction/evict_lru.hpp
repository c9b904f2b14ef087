#pragma once

#include <hbm/eviction/eviction.hpp>

namespace hbm {

/// The least recently used program goes first, one at a time, whatever its size and cost.
struct evict_lru {
    static constexpr fixed_string name{"evict_lru"};
    static constexpr victims choice = victims::one_at_a_time;

    /// O(1).
    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t /*now*/) const noexcept {
        return record.last_use;
    }

    friend constexpr bool operator==(const evict_lru&, const evict_lru&) = default;
};

static_assert(eviction<evict_lru>);

}  // namespace hbm
