#pragma once

/// Which plan a manager follows on a workload.

#include <string>

#include "compare/manager_entry.hpp"
#include "compare/workloads.hpp"

namespace hbm::compare {

/// What decides what a manager asks of its placement where memory never runs out: managers with the same text share the
/// plan of a workload.
[[nodiscard]] inline std::string plan_group(const manager_entry& each, const scenario& in) {
    std::string group;
    if (!in.has_programs) return group;
    if (in.has_donations) group += each.donation;
    if (each.placement.find("bottom_reserve<") != std::string_view::npos) group += "/reserves";
    return group;
}

/// The plan that a manager follows on a workload, or why it has none; null where it follows no plans, or none was to be
/// made. O(plans of the workload).
[[nodiscard]] inline const workload_plan* plan_of(const manager_entry& each, const scenario& in) {
    if (!each.follows_plans) return nullptr;
    const std::string group = plan_group(each, in);
    for (const auto& made : in.plans)
        if (made != nullptr && made->group == group) return made.get();
    return nullptr;
}

/// Whether a manager follows a plan on a workload. O(plans of the workload).
[[nodiscard]] inline bool has_plan(const manager_entry& each, const scenario& in) {
    const workload_plan* const made = plan_of(each, in);
    return made != nullptr && made->exists();
}

}  // namespace hbm::compare
