#include <array>
#include <cstddef>
#include <cstdint>

#include "compare/generate/generate.hpp"

namespace hbm::trace {

namespace {

constexpr std::array uniform_churn_parameters{
    parameter{"live", 1000, 1, 1'000'000, "blocks alive at a time"},
    parameter{"operations", 10000, 0, 10'000'000, "times that a random block dies and another is born"},
    parameter{"smallest", 512, 1, 1ULL << 40U, "smallest block", true},
    parameter{"largest", 64 * mib, 1, 1ULL << 40U, "largest block", true},
};

void write_uniform_churn(const settings& given, trace_draft& draft) {
    const std::uint64_t smallest = given["smallest"];
    const std::uint64_t largest = given["largest"];
    draft_buffers alive;
    for (std::uint64_t count = 0; count < given["live"]; ++count) {
        draft.wait(1);
        alive.push_back(draft.alloc("block", draft.random.log_uniform(smallest, largest)));
    }
    for (std::uint64_t count = 0; count < given["operations"]; ++count) {
        draft.wait(1 + draft.random.exponential(10));
        draft_buffer& chosen = alive[static_cast<std::size_t>(draft.random.below(alive.size()))];
        draft.free(chosen);
        chosen = draft.alloc("block", draft.random.log_uniform(smallest, largest));
    }
}

}  // namespace

/// Uniform churn: the classic stress test of allocators, without programs. Allocates live blocks, then repeatedly
/// frees a random block and allocates another. Sizes are log-uniform. 2 rows per operation.
const generator uniform_churn{"uniform_churn", "free a random block, allocate one of a log-uniform size", "",
                              uniform_churn_parameters, write_uniform_churn};

}  // namespace hbm::trace
