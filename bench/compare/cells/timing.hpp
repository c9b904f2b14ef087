#pragma once
/// Times of replays on the host.

#include <cstdint>
#include <optional>
#include <vector>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// Excess of the third fastest round over the fastest, up to which a time counts as stable.
inline constexpr double stable_spread = 0.1;

/// Processor time of other programs, as a share of one core, up to which times count as stable: beyond it, shared
/// caches and cores slow all rounds alike.
inline constexpr double tolerable_other_work = 0.25;

/// Times the replays of all cells, alone on a core. A round times every cell once. The time of a cell is the minimum of
/// its rounds, of at least three; its spread is the excess of the third fastest. It is stable if the spread is small
/// and other programs did little meanwhile. Without `rounds`, there are more rounds until the times are stable, within
/// limits, and managers without a type of their own and workloads of more than 10,000,000 rows are not timed. Replays
/// that fail have no time.
void take_times(std::vector<comparison>& compared, const std::vector<sharing>& shared,
                std::optional<std::uint64_t> rounds, bool shows_progress);

}  // namespace hbm::compare
