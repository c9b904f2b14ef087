#pragma once

/// The plans that managers such as `planned<best_fit>` follow: made before anything is compared, from the first third
/// of the rows of a workload, and followed from the first row on.

#include <string>
#include <vector>

#include "compare/options.hpp"
#include "compare/selection.hpp"
#include "compare/workloads.hpp"

namespace hbm::compare {

/// Makes the plans of all workloads, on as many cores as were asked for, if a manager that takes part follows plans.
/// Workloads with the same rows share them. Without programs all managers share one; with programs, what a placement is
/// asked for depends on who donates and where scratch lies, and managers that agree in that share one (`plan_group`).
/// It is made from what such a manager asks for where memory never runs out, or, if best fit needs less than a plan for
/// that, from what the rows themselves allocate and free. The effort of packing is bounded by steps, so plans are the
/// same on every machine. Where no manager was asked for by name, only short workloads without programs are planned
/// for.
void make_plans(const options& asked, const selection& who, std::vector<scenario>& all);

/// What managers that take part follow on a workload, or why there is no plan: a sentence for each plan.
[[nodiscard]] std::vector<std::string> plan_words(const scenario& in, const selection& who);

/// Whether a workload is not planned for because nobody asked for it. O(plans of the workload).
[[nodiscard]] bool is_left_unplanned(const scenario& in);

}  // namespace hbm::compare
