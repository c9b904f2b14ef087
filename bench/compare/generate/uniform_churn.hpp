#pragma once
// Uniform churn: the classic stress test of allocators, without programs.

#include <array>

#include "compare/generate/parameters.hpp"
#include "compare/generate/trace_draft.hpp"

namespace hbm::trace {

/// Parameters of `uniform_churn`.
inline constexpr std::array uniform_churn_parameters{
    parameter{"live", 1000, 1, 1'000'000, "blocks alive at a time"},
    parameter{"operations", 10000, 0, 10'000'000, "times that a random block dies and another is born"},
    parameter{"smallest", 512, 1, 1ULL << 40U, "smallest block", true},
    parameter{"largest", 64 * mib, 1, 1ULL << 40U, "largest block", true},
};

/// Allocates live blocks, then repeatedly frees a random block and allocates another. Sizes are log-uniform. 2 rows per
/// operation.
void write_uniform_churn(const settings& given, trace_draft& draft);

}  // namespace hbm::trace
