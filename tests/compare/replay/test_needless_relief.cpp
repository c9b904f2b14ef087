// Relief moves and evicts nothing needlessly: all generated workloads, in memories in which they hardly fit.
#include <hbm/eviction/more_scores.hpp>
#include <hbm/hbm.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <string>

#include "compare/generate/generate.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_manager.hpp"
#include "support/relief_audit.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::in_vain_tests {
namespace {

/// What all replays did together.
struct tally {
    std::uint64_t evictions = 0;
    std::uint64_t moves = 0;
};

template <class Placement, class Eviction, class Relief>
tally expect_nothing_in_vain() {
    using memory_type = manager<Placement, Eviction, donate_same_size, Relief, no_device, relief_audit>;
    tally seen;
    for (const char* spec :
         {"transformer_training:steps=3", "transformer_training:steps=3,donate=0", "llm_serving:requests=40",
          "embedding_pipeline", "slow_leak:steps=300", "uniform_churn:live=200,operations=1000"}) {
        const trace::workload load = trace::generate(spec, 1);
        const std::uint64_t least = trace::min_bytes(load, default_quantum);
        for (const std::uint64_t percent : {100u, 105u, 120u}) {
            if (percent != 105 && !tries_all_seeds()) continue;
            trace::replayed<memory_type> memory(memory_spec{.capacity = least / 100 * percent});
            trace::replay run(load, memory);
            while (run.step()) {
            }
            const relief_audit& audit = memory.manager().events();
            const std::string words =
                std::string(spec) + " with " + std::to_string(percent) + " % under " + memory_type::full_name.c_str();
            CHECK_MESSAGE(audit.evictions_in_vain() == 0, words);
            CHECK_MESSAGE(audit.moves_in_vain() == 0, words);
            seen.evictions += audit.evictions();
            seen.moves += audit.moves();
        }
    }
    return seen;
}

TEST_CASE("relief is never needless in generated workloads") {
    using runtime = bottom_reserve<best_fit>;
    using moving = bottom_reserve<compacting<best_fit>>;
    const std::uint64_t few = tries_all_seeds() ? 10 : 0;  // one capacity of three is tried where not all seeds are
    const std::uint64_t many = tries_all_seeds() ? 100 : 0;
    CHECK(expect_nothing_in_vain<runtime, evict_lru, relieve_cheapest>().evictions > few);
    CHECK(expect_nothing_in_vain<runtime, evict_cheapest_window, evict_first>().evictions > few);
    const tally cheapest = expect_nothing_in_vain<moving, evict_cheapest_window, relieve_cheapest>();
    CHECK(cheapest.evictions > few);
    CHECK(cheapest.moves > many);
    CHECK(expect_nothing_in_vain<moving, evict_greedy_dual, evict_first>().moves > many);
    CHECK(expect_nothing_in_vain<moving, evict_lru, compact_first>().moves > many);
    CHECK(expect_nothing_in_vain<moving, evict_lru, rent_or_buy>().moves > many);
    CHECK(expect_nothing_in_vain<compacting<best_fit>, never_evict, relieve_cheapest>().moves > many);
}

}  // namespace
}  // namespace hbm::test::in_vain_tests
