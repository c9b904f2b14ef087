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

/// Returns the number of variants of a workload that are replayed if the user chose none. It depends on the rows of the
/// workload alone, so that a manager's figures are the same on every machine, next to any others, and in every shard:
/// at most 8, with at most 2,000,000 rows in all. 0 at a given capacity, and for points of a sweep.
[[nodiscard]] std::uint64_t usual_variants(const scenario& subject);

/// Replays `variants` variants of each workload, or `usual_variants`, under every manager on `jobs` cores (0: all), and
/// sets `cell::needs`. The needs of variants are scaled to the least memory of the workload itself, so that rounded
/// sizes do not count as luck. Cells without a need get none, nor do those of a workload without variants, or that a
/// `stop_request` interrupts.
/// Cost: as `compare_all` without times, for each variant.
void take_luck(std::vector<comparison>& compared, const selection& managers, std::optional<std::uint64_t> variants,
               std::size_t jobs, bool shows_progress);

}  // namespace hbm::compare
