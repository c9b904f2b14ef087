#pragma once

/// Needs of managers over variants of each workload.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Returns the need of a manager: its minimum capacity or else its footprint. Empty if it did not complete, and at a
/// given capacity.
[[nodiscard]] std::optional<std::uint64_t> need_of(const scenario& subject, const trace::figures& results);

/// Replays `variants` variants of each workload under every manager on `jobs` cores (0: all), and sets `cell::needs`.
/// The needs of variants are scaled to the least memory of the workload itself, so that rounded sizes do not count as
/// luck. Cells without a need get none, nor do those of a workload after a `stop_request`.
/// Cost: as `compare_all` without times, for each variant.
void take_luck(std::vector<comparison>& compared, const selection& managers, std::uint64_t variants, std::size_t jobs);

}  // namespace hbm::compare
