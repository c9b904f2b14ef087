#pragma once
/// Words of the table of all workloads.

#include <cstddef>
#include <string>
#include <string_view>

namespace hbm::compare {

/// Label of the row with the memory of each workload.
inline constexpr std::string_view memory_label = "(memory)";
/// Label of the row with the lower bound of each workload.
inline constexpr std::string_view bound_label = "(at least)";

inline constexpr std::string_view own_need = "its need";
inline constexpr std::string_view own_need_at_most = "need, <=";
inline constexpr std::string_view no_limit = "no limit";

/// Kinds of cells in the table, which decide the sentences below it.
struct summary_contents {
    bool has_needs = false;       ///< true for minimum capacities
    bool has_bisections = false;  ///< true for minimum capacities that a bisection found
    bool has_footprints = false;  ///< true for footprints in unlimited memory
    bool has_costs = false;       ///< true for costs in a given memory
    bool has_seeds = false;       ///< true for several seeds in a column
    bool has_luck = false;        ///< true for ranges over variants
    bool has_details = false;     ///< true if a chapter for each workload follows
};

/// Returns the sentence that explains the cells.
[[nodiscard]] std::string cell_words(const summary_contents& subject);

/// Returns the sentence about units and further tables.
[[nodiscard]] std::string unit_words(const summary_contents& subject);

/// Returns `4 of 5`.
[[nodiscard]] std::string seeds_words(std::size_t completed, std::size_t seeds);

}  // namespace hbm::compare
