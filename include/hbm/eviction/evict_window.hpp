#pragma once

#include <hbm/core/bytes.hpp>
#include <hbm/eviction/eviction.hpp>

namespace hbm {

/// The contiguous stretch of programs and holes with the least sum of scores leaves; between equal sums fewer programs
/// do. Contiguity is what a request needs, so that little is evicted beyond it. After Coop (NeurIPS 2023), which slides
/// such a window over evictable tensors.
template <score Score>
struct evict_window : Score {
    static constexpr auto name = fixed_string{"evict_window<"} + Score::name + fixed_string{">"};
    static constexpr victims choice = victims::window;

    /// One more than the score, so that every program counts. O(1).
    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        return saturating_add(Score::score(record, now), 1);
    }

    friend constexpr bool operator==(const evict_window&, const evict_window&) = default;
};

}  // namespace hbm
