#include "compare/generate/uniform_churn.hpp"

#include <cstddef>
#include <cstdint>

namespace hbm::trace {

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

}  // namespace hbm::trace
