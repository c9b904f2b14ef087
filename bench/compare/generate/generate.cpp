#include "compare/generate/generate.hpp"

#include <hbm/core/error.hpp>

#include <array>
#include <cstddef>
#include <utility>

#include "compare/text/text.hpp"

namespace hbm::trace {

std::span<const generator> generators() {
    static const std::array all{transformer_training, llm_serving, embedding_pipeline, sharded_training,
                                checkpoint_restart,   slow_leak,   uniform_churn,      worst_case};
    return all;
}

std::string unknown_generator(std::string_view name) {
    std::string listed;
    for (const generator& entry : generators()) listed += (listed.empty() ? "" : ", ") + std::string{entry.name};
    return "unknown workload " + quoted(name) +
           nearest_words(name, generators(), [](const generator& entry) { return entry.name; }) +
           " The workloads are " + listed;
}

generate_result generate(std::string_view spec, std::uint64_t seed) {
    const std::size_t colon = spec.find(':');
    const std::string_view name = spec.substr(0, colon);
    for (const generator& entry : generators()) {
        if (entry.name != name) continue;
        settings given(entry.parameters);
        std::string error;
        if (colon != std::string_view::npos && !given.read(spec.substr(colon + 1), error)) {
            return "workload " + quoted(name) + ": " + error;
        }
        if (entry.refuse != nullptr) error = entry.refuse(given);
        if (!error.empty()) return "workload " + quoted(name) + ": " + error;
        trace_draft draft(std::string{spec}, seed);
        entry.write(given, draft);
        if (!draft.error().empty()) return "workload " + quoted(name) + " broke the rules at " + draft.error();
        return std::move(draft).finish();
    }
    return unknown_generator(name);
}

}  // namespace hbm::trace
