#pragma once
// Generators by name: workloads like those of real programs, from a few parameters and a seed.

#include <cstdint>
#include <span>
#include <string_view>

#include "compare/generate/parameters.hpp"
#include "compare/generate/trace_draft.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Generator with its parameters.
struct generator {
    std::string_view name;                                   ///< name in `NAME[:key=value,...]`
    std::string_view summary;                                ///< line for --help
    std::string_view device;                                 ///< generation it is sized for; empty: any
    std::span<const parameter> parameters;                   ///< keys with their usual values
    void (*write)(const settings&, trace_draft&) = nullptr;  ///< function that writes the rows
};

extern const generator transformer_training, llm_serving, embedding_pipeline, sharded_training, checkpoint_restart,
    slow_leak, uniform_churn;

/// Returns all generators, in the order of the list of workloads.
std::span<const generator> generators();

/// Generates the workload `NAME[:key=value,...]`; its name is this text. Sizes may have a binary unit: "4K", "2MiB",
/// "29.49G". Equal texts and seeds give equal workloads on every compiler and machine. Throws `usage_error`.
/// Cost: O(rows).
[[nodiscard]] workload generate(std::string_view spec, std::uint64_t seed);

}  // namespace hbm::trace
