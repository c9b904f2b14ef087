#include "compare/generate/generate.hpp"

#include <hbm/core/error.hpp>
#include <hbm/explain/filled_text.hpp>

#include <array>
#include <cstddef>
#include <utility>

#include "compare/generate/texts.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

std::span<const generator> generators() {
    static const std::array all{transformer_training, llm_serving, embedding_pipeline, sharded_training,
                                checkpoint_restart,   slow_leak,   uniform_churn};
    return all;
}

std::string unknown_generator(std::string_view name) {
    std::string names;
    for (const generator& entry : generators()) append_item(names, entry.name);
    const std::string nearest = nearest_words(name, generators(), [](const generator& entry) { return entry.name; });
    return filled(texts::unknown_workload, {{"name", quoted(name)}, {"nearest", nearest}, {"names", names}});
}

generate_result generate(std::string_view spec, std::uint64_t seed) {
    const std::size_t colon = spec.find(':');
    const std::string_view name = spec.substr(0, colon);
    for (const generator& entry : generators()) {
        if (entry.name != name) continue;
        const auto failed = [&](const std::string& error) {
            return filled(texts::workload_error, {{"name", quoted(name)}, {"error", error}});
        };
        settings given(entry.parameters);
        std::string error;
        if (colon != std::string_view::npos && !given.read(spec.substr(colon + 1), error)) return failed(error);
        trace_draft draft(std::string{spec}, seed);
        entry.write(given, draft);
        if (!draft.error().empty()) return failed(draft.error());
        return std::move(draft).finish();
    }
    return unknown_generator(name);
}

}  // namespace hbm::trace
