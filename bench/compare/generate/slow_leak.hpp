#pragma once
// A slow leak: small tensors that are never freed accumulate between large tensors, until a run fails after tens of
// thousands of steps.

#include <array>

#include "compare/generate/parameters.hpp"
#include "compare/generate/trace_draft.hpp"

namespace hbm::trace {

/// Parameters of `slow_leak`.
inline constexpr std::array slow_leak_parameters{
    parameter{"steps", 1200, 0, 1'000'000, "training steps"},
    parameter{"small", 8, 0, 1000, "small tensors a step, 512 bytes to 64 KiB"},
    parameter{"large", 2, 0, 1000, "large tensors a step, 1 to 64 MiB"},
    parameter{"window", 6, 1, 1000, "steps after which a tensor is dead, unless it leaks"},
    parameter{"leak", 50, 0, 1'000'000, "one in so many small tensors never dies; 0: none leaks"},
};

/// Writes a leak. Each step allocates large and small tensors, which live for a few steps. On average every `leak`-th
/// small tensor with the tag "metric" is never freed. Other tensors with that tag are freed, so the tag alone does not
/// show the leak.
void write_slow_leak(const settings& given, trace_draft& draft);

}  // namespace hbm::trace
