#pragma once
/// The rows of a table over several seeds.

#include <memory>
#include <string>
#include <vector>

#include "compare/tables/report.hpp"

namespace hbm::compare {

/// Comparisons that differ in nothing but the seed.
using seed_group = std::vector<const comparison*>;

/// Returns all comparisons in their groups. Requires: comparisons of a group are adjacent. Cost: O(comparisons).
[[nodiscard]] std::vector<seed_group> grouped_by_seed(const std::vector<comparison>& all);

/// Returns the least memory that these need under any manager: `1.00G`, or over several seeds `1.00G to 1.20G`.
/// Cost: O(seeds).
[[nodiscard]] std::string needed_words(const seed_group& compared);

/// Figures under a seed.
struct seed_figures {
    const comparison* of = nullptr;
    const trace::figures* found = nullptr;
};

/// Row of the table: managers that share a cell under every seed, or the yardstick.
struct seed_row {
    folded_row group;                     ///< managers, without figures, since these differ by seed
    std::vector<seed_figures> completed;  ///< figures by seed, for seeds under which it completes
};

/// Rows in list order, and last the yardstick if every seed has it.
struct seed_rows {
    std::vector<seed_row> all;
    std::vector<std::shared_ptr<const trace::figures>> packings;  ///< figures of the yardstick
};

/// Makes the rows. `folds`: managers that share a cell under every seed share a row. Cost: O(managers x seeds).
[[nodiscard]] seed_rows rows_of(const seed_group& group, const selection& chosen, bool folds);

/// Returns the report of all comparisons. For a workload generated from several seeds, a chapter is about all of them.
[[nodiscard]] report make_report_over_seeds(const std::vector<comparison>& all, const selection& chosen,
                                            const report_layout& layout = {});

/// Returns the index of the nearest-rank quantile in sorted values that are not empty. It is the least value that at
/// least `percent` of 100 of them do not exceed; 0 percent is the least.
[[nodiscard]] std::size_t nearest_rank(std::size_t count, std::size_t percent);

}  // namespace hbm::compare
