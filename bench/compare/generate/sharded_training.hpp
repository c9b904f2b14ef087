#pragma once
// Training with state sharded over many devices (FSDP), from the view of one device. The parameters of a layer are
// gathered a layer ahead of their use and dropped after it. Its gradients are summed up and scattered. Each device
// keeps and updates its shard of the weights and of the optimizer state.

#include <array>

#include "compare/generate/parameters.hpp"
#include "compare/generate/trace_draft.hpp"

namespace hbm::trace {

/// Parameters of `sharded_training`.
inline constexpr std::array sharded_training_parameters{
    parameter{"layers", 32, 1, 256, "transformer layers"},
    parameter{"devices", 16, 1, 65536, "devices that share the state"},
    parameter{"prefetch", 1, 0, 64, "layers whose parameters are gathered ahead of their use"},
    parameter{"batch", 12, 1, 4096, "sequences a step on this device"},
    parameter{"hidden", 4096, 8, 65536, "width of the model"},
    parameter{"vocabulary", 32000, 1, 1'000'000, "tokens the model knows"},
    parameter{"sequence", 2048, 1, 1'000'000, "tokens of a sequence"},
    parameter{"steps", 20, 0, 10'000, "optimizer steps"},
};

/// Writes the training run: about 14 rows per layer and step; the default sizes fill most of a v5e.
void write_sharded_training(const settings& given, trace_draft& draft);

}  // namespace hbm::trace
