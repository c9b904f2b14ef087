#pragma once
/// The rows of a table over several seeds.

#include <memory>
#include <string>
#include <vector>

#include "compare/tables/folded.hpp"
#include "compare/tables/report.hpp"

namespace hbm::compare {

/// Comparisons that differ in nothing but the seed.
using seed_group = std::vector<const comparison*>;

/// All comparisons in their groups: those of a group follow one another. O(comparisons).
[[nodiscard]] std::vector<seed_group> grouped_by_seed(const std::vector<comparison>& of);

/// The least memory that these need under any manager: `1.00G`, or over several seeds `1.00G to 1.20G`. O(seeds).
[[nodiscard]] std::string needed_words(const seed_group& of);

/// The figures under a seed.
struct seed_figures {
    const comparison* of = nullptr;
    const trace::figures* found = nullptr;
};

/// A row: managers that share a cell under every seed, or the yardstick.
struct seed_row {
    folded_row group;                     ///< without figures, of which there are some for each seed
    std::vector<seed_figures> completed;  ///< by seed, of those under which it completes
};

/// The rows in list order, and last the yardstick if every seed has it.
struct seed_rows {
    std::vector<seed_row> all;
    std::vector<std::shared_ptr<const trace::figures>> packings;  ///< the figures of the yardstick
};

/// Makes the rows. `folds`: managers that share a cell under every seed share a row. O(managers x seeds).
[[nodiscard]] seed_rows rows_of(const seed_group& of, const selection& who, bool folds);

/// The report of all comparisons. Where a workload was generated from several seeds, a chapter is about all of them.
[[nodiscard]] report make_report_over_seeds(const std::vector<comparison>& of, const selection& who,
                                            const report_layout& layout = {});

/// The nearest-rank quantile of sorted values that are not empty: the least value that at least `percent` of 100 of
/// them do not exceed; 0 percent is the least.
[[nodiscard]] std::size_t nearest_rank(std::size_t count, std::size_t percent);

}  // namespace hbm::compare
