#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/generate/generate.hpp"

namespace hbm::trace {

namespace {

constexpr std::array slow_leak_parameters{
    parameter{"steps", 1200, 0, 1'000'000, "training steps"},
    parameter{"small", 8, 0, 1000, "small tensors a step, 512 bytes to 64 KiB"},
    parameter{"large", 2, 0, 1000, "large tensors a step, 1 to 64 MiB"},
    parameter{"window", 6, 1, 1000, "steps after which a tensor is dead, unless it leaks"},
    parameter{"leak", 50, 0, 1'000'000, "one in this many small tensors never dies; 0: none leaks"},
};

void write_slow_leak(const settings& given, trace_draft& draft) {
    constexpr std::array<std::string_view, 4> kinds{"metric", "loss", "rng_state", "index"};
    // The tensors to be freed at a step are in the list with the number of the step modulo the window.
    std::vector<draft_buffers> dying(static_cast<std::size_t>(given["window"]));
    const auto keep = [&](draft_buffer result, std::uint64_t step) {
        const std::uint64_t death = step + 1 + draft.random.below(dying.size());
        dying[static_cast<std::size_t>(death % dying.size())].push_back(std::move(result));
    };
    for (std::uint64_t step = 0; step < given["steps"]; ++step) {
        draft.wait(500 + draft.random.exponential(200));
        draft.free(dying[static_cast<std::size_t>(step % dying.size())]);
        std::uint64_t small = given["small"];
        std::uint64_t large = given["large"];
        while (small + large != 0) {
            draft.wait(1 + draft.random.below(20));
            if (draft.random.below(small + large) < large) {
                --large;
                keep(draft.alloc("activation", draft.random.log_uniform(mib, 64 * mib)), step);
                continue;
            }
            --small;
            const bool leaks = draft.random.one_in(given["leak"]);
            const auto kind = leaks ? kinds[0] : kinds[static_cast<std::size_t>(draft.random.below(kinds.size()))];
            draft_buffer result = draft.alloc(kind, draft.random.log_uniform(512, 64 * kib));
            if (!leaks) keep(std::move(result), step);
        }
    }
}

}  // namespace

/// A slow leak: small tensors that are never freed accumulate between large tensors, until a run fails after tens
/// of thousands of steps. Writes a leak. Each step allocates large and small tensors, which live for a few steps.
/// On average every `leak`-th small tensor with the tag "metric" is never freed. Other tensors with that tag are
/// freed, so the tag alone does not show the leak.
const generator slow_leak{"slow_leak", "small tensors of which a few never die, among large ones", "",
                          slow_leak_parameters, write_slow_leak};

}  // namespace hbm::trace
