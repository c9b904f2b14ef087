#pragma once
/// The matrix of the report: a row for each manager, a column for each workload.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/selection.hpp"
#include "compare/replay/figures.hpp"

namespace hbm::compare {

/// The memory that a manager needs for a workload, and its ratio to the least that any manager could need.
struct need {
    std::uint64_t bytes = 0;
    trace::fraction overhead;   ///< 1 is perfect
    bool is_comparable = true;  ///< false: a footprint of a manager that would move blocks if memory were smaller
};

/// Returns the need; empty if the workload failed, or if its need was not searched for.
[[nodiscard]] std::optional<need> need_of(const scenario& in, const manager_entry& who, const trace::figures& found);

/// Returns the microseconds of relief: moves and reloads.
[[nodiscard]] std::uint64_t price_of(const trace::figures& found);

/// The upper limits of colours 0 to 6, in millionths and in microseconds. Values above the last have colour 7.
inline constexpr std::array<std::uint64_t, 7> overhead_limits{1'005'000, 1'020'000, 1'050'000, 1'100'000,
                                                              1'200'000, 1'400'000, 1'800'000};
inline constexpr std::array<std::uint64_t, 7> price_limits{0, 1'000, 5'000, 20'000, 50'000, 100'000, 500'000};

/// Returns the colour of a cell, from 0, the best, to 7.
[[nodiscard]] unsigned level_of(const std::optional<need>& needs, std::uint64_t price_us);

/// Returns true if all managers fail on the workload.
[[nodiscard]] bool all_fail(const comparison& of);

/// The answer at the top of the page.
struct page_answer {
    std::string sentence;               ///< the manager to take, and the reason
    std::vector<std::string> more;      ///< workloads that no manager completes, and the cost of a simpler manager
    std::optional<std::size_t> best;    ///< index into the selection
    std::optional<std::size_t> simple;  ///< the simpler manager that `more` speaks of
    std::string type;                   ///< the C++ type of the best, to paste; empty if not known
    std::vector<std::size_t> order;     ///< all managers, the best first; second names last
};

/// Makes the answer from the recommendation, and names the workloads that no manager completes.
[[nodiscard]] page_answer answer_of(const std::vector<comparison>& all, const selection& who);

/// Returns the matrix as a table of HTML, with its legend.
[[nodiscard]] std::string matrix_html(const std::vector<comparison>& all, const selection& who,
                                      const page_answer& answer);

/// Returns every figure of every manager as a table of HTML for each workload, folded.
[[nodiscard]] std::string figures_html(const std::vector<comparison>& all, const selection& who);

}  // namespace hbm::compare
