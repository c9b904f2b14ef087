#pragma once

#include <hbm/core/bytes.hpp>
#include <hbm/eviction/eviction.hpp>

namespace hbm::inline v0 {

/// Evicts the programs of the contiguous window of programs and holes with the lowest sum of scores, and none outside
/// the requested range. Ties go to windows with fewer programs. After Coop (NeurIPS 2023), for tensors.
template <class Score>
struct evict_window : Score {
    static_assert(check_score<Score>());

    static constexpr auto name = fixed_string{"evict_window<"} + Score::name + fixed_string{">"};
    static constexpr victims choice = victims::window;

    /// Returns the score plus 1, so that ties go to fewer programs.
    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        return saturating_add(Score::score(record, now), 1);
    }
};

}  // namespace hbm::inline v0
