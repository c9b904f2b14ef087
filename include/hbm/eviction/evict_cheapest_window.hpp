#pragma once

#include <hbm/eviction/eviction.hpp>

namespace hbm {

/// Evicts the contiguous stretch of programs and holes that costs least to lose: uses x reload cost / staleness,
/// summed. Contiguity is what a request needs, so that little is evicted beyond it. After Coop (NeurIPS 2023), which
/// slides such a window over evictable tensors.
struct evict_cheapest_window {
    static constexpr fixed_string name{"evict_cheapest_window"};
    static constexpr victims choice = victims::window;

    /// O(1).
    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        const std::uint64_t uses = record.uses < most_uses ? record.uses : most_uses;
        const std::uint64_t cost = record.reload_nanoseconds < most_cost ? record.reload_nanoseconds : most_cost;
        const std::uint64_t staleness = now > record.last_use ? now - record.last_use : 1;
        return uses * (cost + 1) / staleness + 1;
    }

    friend constexpr bool operator==(const evict_cheapest_window&, const evict_cheapest_window&) = default;

private:
    // Bounds that keep a sum of 2^14 scores inside 64 bits.
    static constexpr std::uint64_t most_uses = 1024;
    static constexpr std::uint64_t most_cost = std::uint64_t{1} << 39;
};

static_assert(eviction<evict_cheapest_window>);

}  // namespace hbm
