#pragma once
// Serving a large language model: weights that stay, KV pages that are allocated and freed with requests, prompts of
// all lengths, and more programs than fit into memory.

#include <array>

#include "compare/generate/parameters.hpp"
#include "compare/generate/trace_draft.hpp"

namespace hbm::trace {

/// Parameters of `llm_serving`.
inline constexpr std::array llm_serving_parameters{
    parameter{"requests", 180, 0, 100'000, "requests in all"},
    parameter{"concurrency", 48, 1, 1024, "requests at a time, at most"},
    parameter{"weights", 8 * gib, mib, 1ULL << 42U, "weights of the model", true},
    parameter{"layers", 32, 1, 256, "buffers that hold the weights"},
    parameter{"kv", 6 * gib, 0, 1ULL << 42U, "room for KV pages; no request is admitted beyond it", true},
    parameter{"page", 2 * mib, 512, gib, "a KV page: 16 tokens", true},
    parameter{"prompt", 4096, 64, 65536, "tokens of the longest prompt; the shortest has 64"},
    parameter{"output", 128, 1, 4096, "tokens of an answer, on average"},
};

/// Writes the requests. The default sizes need a v5e; all programs together need more than a v5e has.
void write_llm_serving(const settings& given, trace_draft& draft);

}  // namespace hbm::trace
