#include "compare/managers/end_of_plan.hpp"

#include <hbm/explain/words.hpp>
#include <hbm/placement/scheduled.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

namespace {

std::string place_of(const scenario& workload, std::size_t row) {
    const std::string event = "event " + grouped_digits(row) + " of " + workload.title;
    return workload.load.lines.empty() ? event : event + " (line " + grouped_digits(workload.load.lines[row]) + ")";
}

}  // namespace

std::string end_of_plan(const selection& chosen, const scenario& workload) {
    const auto planned = std::find_if(chosen.managers.begin(), chosen.managers.end(),
                                      [](const manager_entry* entry) { return entry->narrow.choices.plan != nullptr; });
    if (planned == chosen.managers.end()) return {};
    const std::string name((*planned)->name);
    const std::string then = " From there on " + name + " places like its base.";
    const schedule& plan = *(*planned)->narrow.choices.plan;
    const std::uint64_t quantum = workload.device.quantum;
    std::size_t request = 0;
    for (std::size_t at = 0; at < workload.load.rows.size(); ++at) {
        const trace::row& row = workload.load.rows[at];
        if (row.what != trace::op::alloc) continue;
        if (request == plan.blocks.size())
            return "the plan of --schedule ends before " + place_of(workload, at) + ", after all of its " +
                   counted(request, "request") + "." + then;
        const std::uint64_t length = std::max<std::uint64_t>(row.bytes / quantum + (row.bytes % quantum != 0), 1);
        const std::uint64_t expected = plan.blocks[request++].length;
        if (length != expected)
            return "the plan of --schedule ends at " + place_of(workload, at) + ": " + size_in_words(length * quantum) +
                   " requested, " + size_in_words(expected * quantum) + " planned." + then;
    }
    return {};
}

}  // namespace hbm::compare
