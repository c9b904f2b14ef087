/// Requests of a plan that is known beforehand, next to best fit without one.

#include <hbm/pack/schedule.hpp>
#include <hbm/placement/scheduled.hpp>

#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "micro/catalogue.hpp"
#include "micro/peers.hpp"
#include "micro/replay.hpp"

namespace hbm::micro {

namespace {

/// A peer that follows a plan.
class planned_peer : public placement_peer<scheduled<best_fit>> {
public:
    using placement_peer::placement_peer;
    void follow(const schedule& plan) { blocks().follow(plan); }
    std::size_t followed() { return blocks().followed(); }
};

/// A recorded workload and the plan of its requests.
struct planned_workload {
    workload load;
    std::vector<scheduled_block> blocks;
    schedule plan;
};

std::unique_ptr<planned_workload> pack_workload(const std::string& name) {
    auto result = std::make_unique<planned_workload>();
    result->load = recorded(HBM_TRACE_DIRECTORY "/" + name + ".csv", name);
    std::vector<pack::block> lives;
    std::vector<std::size_t> latest(result->load.slots);
    std::uint64_t now = 0;
    for (const auto [slot, quanta] : result->load.operations) {
        if (quanta != 0) {
            latest[slot] = lives.size();
            lives.push_back({.begin = now, .end = result->load.operations.size(), .bytes = quanta});
        } else {
            lives[latest[slot]].end = now;
        }
        ++now;
    }
    result->blocks.resize(lives.size());
    // A good packing takes minutes, and its operations as long as those of this one.
    if (const auto plan = pack::plan_into(lives, result->blocks, 1, {.max_steps = 0, .max_looks = 1}))
        result->plan = *plan;
    return result;
}

template <class P>
void measure(benchmark::State& state, const planned_workload& planned) {
    const workload& load = planned.load;
    if (planned.plan.blocks.empty()) {
        state.SkipWithError("the trace cannot be read or packed");
        return;
    }
    for ([[maybe_unused]] auto once : state) {
        player<P> playing(load, planned.plan.height * 2);
        if constexpr (requires { playing.memory().follow(planned.plan); }) playing.memory().follow(planned.plan);
        const double from = processor_seconds();
        playing.play(load.operations);
        state.SetIterationTime(processor_seconds() - from);
        if (playing.failures() != 0) state.SkipWithError("a request failed");
        if constexpr (requires { playing.memory().follow(planned.plan); })
            if (playing.memory().followed() != planned.blocks.size()) state.SkipWithError("the plan was not followed");
    }
    state.counters["operations"] = static_cast<double>(load.operations.size());
}

}  // namespace

void register_followed_plans() {
    for (const char* name : {"gpt_checkpoint", "kvcache_serving"}) {
        const auto planned = std::make_shared<std::unique_ptr<planned_workload>>();
        const auto add = [&]<class P>(std::type_identity<P>) {
            benchmark::RegisterBenchmark((std::string(name) + "_known/" + P::name.c_str()).c_str(),
                                         [planned, name](benchmark::State& state) {
                                             if (!*planned) *planned = pack_workload(name);
                                             measure<P>(state, **planned);
                                         })
                ->UseManualTime()
                ->Iterations(1);
        };
        add(std::type_identity<placement_peer<best_fit>>{});
        add(std::type_identity<planned_peer>{});
    }
}

}  // namespace hbm::micro
