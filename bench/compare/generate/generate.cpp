#include "compare/generate/generate.hpp"

#include <hbm/core/error.hpp>

#include <array>
#include <cstddef>
#include <utility>

#include "compare/generate/checkpoint_restart.hpp"
#include "compare/generate/embedding_pipeline.hpp"
#include "compare/generate/llm_serving.hpp"
#include "compare/generate/sharded_training.hpp"
#include "compare/generate/slow_leak.hpp"
#include "compare/generate/transformer_training.hpp"
#include "compare/generate/uniform_churn.hpp"
#include "compare/generate/worst_case.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

std::span<const generator> generators() {
    static constexpr std::array<generator, 8> all{{
        {"transformer_training", "layers with donated optimizer state, activations, now and then an evaluation", "v5e",
         transformer_training_parameters, write_transformer_training},
        {"llm_serving", "weights, KV pages and prompts of many requests, more programs than fit", "v5e",
         llm_serving_parameters, write_llm_serving},
        {"embedding_pipeline", "tables fill the device, then one very large program arrives and cannot fit", "v6e",
         embedding_pipeline_parameters, write_embedding_pipeline},
        {"sharded_training", "FSDP: layers gathered ahead of their use, gradients scattered, state sharded", "v5e",
         sharded_training_parameters, write_sharded_training},
        {"checkpoint_restart", "a jitted step that is saved array by array, fails, and is restored", "v5e",
         checkpoint_restart_parameters, write_checkpoint_restart},
        {"slow_leak", "small tensors of which a few never die, among large ones", "", slow_leak_parameters,
         write_slow_leak},
        {"uniform_churn", "free a random block, allocate one of a log-uniform size", "", uniform_churn_parameters,
         write_uniform_churn},
        {"worst_case",
         "the worst that theory knows: attack=0 for all that do not move, 1 first fit, 2 best fit, 3 buddy", "",
         worst_case_parameters, write_worst_case, refuse_worst_case, true},
    }};
    return all;
}

std::string unknown_generator_words(std::string_view name) {
    std::string listed;
    for (const generator& each : generators()) listed += (listed.empty() ? "" : ", ") + std::string{each.name};
    return "unknown workload " + quoted(name) +
           nearest_words(name, generators(), [](const generator& each) { return each.name; }) + " The workloads are " +
           listed;
}

generate_result generate(std::string_view spec, std::uint64_t seed) {
    const std::size_t colon = spec.find(':');
    const std::string_view name = spec.substr(0, colon);
    for (const generator& each : generators()) {
        if (each.name != name) continue;
        settings given(each.parameters);
        std::string error;
        if (colon != std::string_view::npos && !given.read(spec.substr(colon + 1), error)) {
            return "workload " + quoted(name) + ": " + error;
        }
        if (each.refuse != nullptr) error = each.refuse(given);
        if (!error.empty()) return "workload " + quoted(name) + ": " + error;
        trace_draft draft(std::string{spec}, seed);
        each.write(given, draft);
        if (!draft.error().empty()) return "workload " + quoted(name) + " broke the rules at " + draft.error();
        return std::move(draft).finish();
    }
    return unknown_generator_words(name);
}

}  // namespace hbm::trace
