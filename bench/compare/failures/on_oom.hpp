#pragma once

/// The output of --on-oom: for each manager that failed, what was in its memory and what would have helped.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Whose failures are explained.
enum class explained_managers {
    all,
    known,  ///< of workloads with programs those that people have: the managers with a name of their own, and the
            ///< user's
};

/// The output as text; managers that cannot differ on a workload share an explanation. Replays the failed cells again.
/// Of a workload with programs it begins with those that people have under whom it completes. `effort`: see
/// `explain_options`; `cut`: after an interrupt, which it says first.
[[nodiscard]] std::string oom_text(const std::vector<comparison>& all, const selection& who, std::uint64_t effort,
                                   explained_managers whose = explained_managers::all,
                                   const std::optional<partial_result>& cut = {});

/// The same as JSON, for files that end in `.json`.
[[nodiscard]] std::string oom_json(const std::vector<comparison>& all, const selection& who, std::uint64_t effort,
                                   const std::optional<partial_result>& cut = {});

/// A failure of a workload under a manager, and under those that cannot differ from it.
struct told_failure {
    std::size_t workload = 0;  ///< index into the comparisons
    std::size_t cell = 0;      ///< index into its cells
    std::string title;         ///< who failed, where and on what
    std::string text;          ///< the explanation and the dump
};

/// The failures in the order of the comparison.
[[nodiscard]] std::vector<told_failure> tell_failures(const std::vector<comparison>& all, const selection& who,
                                                      std::uint64_t effort);

}  // namespace hbm::compare
