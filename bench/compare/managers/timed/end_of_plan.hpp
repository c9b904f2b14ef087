#pragma once
/// Note on a workload that departs from the plan of --schedule.

#include <string>

#include "compare/managers/selection.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// Returns a sentence on the first request of a workload that has another size than planned, or whose place is taken:
/// there the plan ends. Empty if there is none, or no manager follows a plan.
/// Cost: O(rows x log(live buffers)).
[[nodiscard]] std::string end_of_plan(const selection& chosen, const scenario& workload);

}  // namespace hbm::compare
