#pragma once

/// Regression gate: the figures of this run compared with those of an earlier one.

#include <string>
#include <vector>

#include "compare/sweeps/stored.hpp"
#include "compare/tables/records.hpp"

namespace hbm::compare {

/// Returns the text for --save: every figure that is the same on every machine.
[[nodiscard]] std::string saved_result(const std::vector<comparison>& all, const selection& chosen);

/// Changes since the earlier run, as sentences.
struct verdict {
    std::vector<std::string> worse;    ///< figures that got worse, and rows that disappeared
    std::vector<std::string> better;   ///< figures that got better
    std::vector<std::string> changed;  ///< figures neither better nor worse, and new rows
};

/// Returns a line for each change, and a last line with a count if any figure got worse. `quiet`: regressions only.
[[nodiscard]] std::vector<std::string> verdict_lines(const verdict& result, bool quiet);

/// Compares figures, except times. A need that changed while the ranges over variants are equal within luck is neither
/// better nor worse. Returns an error message about the earlier figures, or an empty text.
[[nodiscard]] std::string compare_figures(const stored_result& before, const std::vector<comparison>& all,
                                          const selection& chosen, verdict& result);

}  // namespace hbm::compare
