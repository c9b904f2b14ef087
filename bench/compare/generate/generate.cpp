#include "compare/generate/generate.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::trace {

using compare::usage_error;

std::span<const generator> generators() {
    static const std::array all{transformer_training, llm_serving, embedding_pipeline, sharded_training,
                                checkpoint_restart,   slow_leak,   uniform_churn};
    return all;
}

workload generate(std::string_view spec, std::uint64_t seed) {
    const std::string_view name = spec.substr(0, spec.find(':'));
    const std::span<const generator> all = generators();
    const auto match = std::find_if(all.begin(), all.end(), [&](const generator& each) { return each.name == name; });
    if (match == all.end()) {
        std::string names;
        for (const generator& entry : all) append_item(names, entry.name);
        throw usage_error("unknown workload " + quoted(name) +
                          nearest_words(name, all, [](const generator& entry) { return entry.name; }) +
                          " The workloads are " + names);
    }
    try {
        settings given(match->parameters);
        if (name.size() != spec.size()) given.read(spec.substr(name.size() + 1));
        trace_draft draft(std::string{spec}, seed);
        match->write(given, draft);
        return std::move(draft).finish();
    } catch (const usage_error& error) {
        throw usage_error("workload " + quoted(name) + ": " + error.what());
    }
}

}  // namespace hbm::trace
