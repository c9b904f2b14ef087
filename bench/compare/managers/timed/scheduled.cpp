#include <hbm/explain/filled_text.hpp>
#include <hbm/pack/schedule.hpp>
#include <hbm/placement/best_fit.hpp>

#include "compare/jobs/progress.hpp"
#include "compare/managers/entry.hpp"
#include "compare/managers/texts.hpp"
#include "compare/managers/timed/timed_managers.hpp"
#include "compare/workloads/lives.hpp"
#include "compare/workloads/workloads.hpp"

// The manager of --schedule.

namespace hbm::compare {

namespace {

using planned_memory = manager<scheduled<best_fit>>;

/// Limits of packing: some seconds for a large trace.
constexpr pack::effort limits{.max_steps = 200'000, .max_looks = 400'000'000, .early = {stop_request::is_made}};

std::unique_ptr<trace::replayed_memory> make_planned(const memory_spec& spec, const policy_choices& choices) {
    auto memory = std::make_unique<trace::replayed<planned_memory>>(spec);
    memory->manager().follow(*choices.plan);
    return memory;
}

}  // namespace

std::string read_plan(const options& chosen, stored_plan& stored) {
    const std::uint64_t quantum = chosen.quanta.front();
    if (chosen.quanta.size() != 1) return std::string(texts::plan_of_several_quanta);
    trace::workload recorded;
    if (std::string problem = gather_file(chosen.schedule, chosen.device, recorded); !problem.empty()) return problem;
    const std::optional<std::vector<pack::block>> blocks = blocks_of(recorded, quantum);
    if (!blocks) return filled(texts::plan_of_other_rows, {{"file", chosen.schedule}});
    stored.blocks.resize(blocks->size());
    const std::optional<schedule> plan = pack::plan_into(*blocks, stored.blocks, quantum, limits);
    if (!plan) return filled(texts::unpackable_plan, {{"file", chosen.schedule}});
    stored.plan = *plan;
    return {};
}

manager_entry scheduled_entry(const schedule& plan) {
    manager_entry result = entry_of<planned_memory, true>();
    result.narrow.make = &make_planned;
    result.narrow.choices.plan = &plan;
    return result;
}

}  // namespace hbm::compare
