#pragma once
// Generators by name: workloads like those of real programs, from a few parameters and a seed.

#include <hbm/trace/outcome.hpp>
#include <hbm/trace/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "generate/checkpoint_restart.hpp"
#include "generate/embedding_pipeline.hpp"
#include "generate/llm_serving.hpp"
#include "generate/parameters.hpp"
#include "generate/sharded_training.hpp"
#include "generate/slow_leak.hpp"
#include "generate/trace_draft.hpp"
#include "generate/transformer_training.hpp"
#include "generate/uniform_churn.hpp"
#include "generate/worst_case.hpp"

namespace hbm::trace {

/// A generator and its parameters.
struct generator {
    std::string_view name;                                   ///< its name in `NAME[:key=value,...]`
    std::string_view summary;                                ///< a line for --help
    std::string_view device;                                 ///< the generation it is sized for; empty: any
    std::span<const parameter> parameters;                   ///< keys with their usual values
    void (*write)(const settings&, trace_draft&) = nullptr;  ///< writes the rows
    std::string (*refuse)(const settings&) = nullptr;        ///< what is wrong with values together; null: nothing is
    bool is_for_unlimited = false;                           ///< made for memory without a limit
};

/// All generators, in the order of this list.
inline std::span<const generator> generators() {
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

/// The result of a generator: a workload, or a message that says what is wrong and what is valid.
using generate_result = workload_or<std::string>;

/// The message for an unknown generator: a similar name, if there is one, and all names.
inline std::string unknown_generator_words(std::string_view name) {
    std::string listed;
    for (const generator& each : generators()) listed += (listed.empty() ? "" : ", ") + std::string{each.name};
    return "unknown workload " + quoted(name) +
           nearest_words(name, generators(), [](const generator& each) { return each.name; }) + " The workloads are " +
           listed;
}

/// Generates the workload `NAME[:key=value,...]`, whose name is the text as given. Sizes may have a binary unit:
/// "4K", "2MiB", "29.49G". The same text and seed give the same workload on every compiler and machine. O(rows).
inline generate_result generate(std::string_view spec, std::uint64_t seed) {
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
