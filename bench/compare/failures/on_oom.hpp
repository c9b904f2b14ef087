#pragma once
/// The output of --on-oom: for each manager that failed, the contents of its memory and possible remedies.

#include <hbm/explain/dump_text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/grid/result.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Failures to explain.
enum class explained_managers {
    all,
    known,  ///< in workloads with programs, only managers with a name of their own, and the user's
};

/// Returns the output as text; managers that cannot differ on a workload share an explanation. Replays the failed cells
/// again. For a workload with programs, it begins with the available managers under which it completes. `cut`: an
/// interrupt, reported first.
[[nodiscard]] std::string oom_text(const std::vector<comparison>& all, const selection& chosen,
                                   explained_managers whose = explained_managers::all,
                                   const std::optional<partial_result>& cut = {});

/// Returns the output as JSON, for files that end in `.json`.
[[nodiscard]] std::string oom_json(const std::vector<comparison>& all, const selection& chosen,
                                   const std::optional<partial_result>& cut = {});

/// Failure of a workload under a manager, and under those that cannot differ from it.
struct told_failure {
    std::size_t workload = 0;  ///< index into the comparisons
    std::size_t cell = 0;      ///< index into its cells
    std::string title;         ///< manager, memory and workload of the failure
    std::string text;          ///< explanation and dump
};

/// Returns the failures in the order of the comparison.
[[nodiscard]] std::vector<told_failure> tell_failures(const std::vector<comparison>& all, const selection& chosen);

}  // namespace hbm::compare

namespace hbm {

/// Returns the dump as a JSON object on a single line. Keys that end in `_bytes` are in bytes, `_ns` in nanoseconds;
/// inapplicable and unknown values are null.
[[nodiscard]] std::string to_json(const allocation_dump& dumped);

}  // namespace hbm
