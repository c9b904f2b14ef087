#pragma once
// Transformer training, layer by layer. Every step donates parameters and optimizer state. Activations live from the
// forward to the backward pass. An evaluation program runs from time to time.

#include <array>

#include "compare/generate/parameters.hpp"
#include "compare/generate/trace_draft.hpp"

namespace hbm::trace {

/// Parameters of `transformer_training`.
inline constexpr std::array transformer_training_parameters{
    parameter{"layers", 18, 1, 256, "transformer layers"},
    parameter{"hidden", 2048, 8, 65536, "width of the model"},
    parameter{"vocabulary", 32000, 1, 1'000'000, "tokens the model knows"},
    parameter{"sequence", 2048, 1, 1'000'000, "tokens of a sequence"},
    parameter{"batch", 2, 1, 4096, "sequences a micro step"},
    parameter{"steps", 60, 0, 10'000, "optimizer steps"},
    parameter{"accumulate", 1, 1, 64, "micro steps whose gradients are summed up in an optimizer step"},
    parameter{"remat", 0, 0, 1, "1: keep only the input of a layer and compute the rest again"},
    parameter{"donate", 1, 0, 1, "1: the state of a step is donated to the next; 0: both live for a while"},
    parameter{"fused", 0, 0, 1, "1: one program updates the whole state, as a jitted step does; 0: layer by layer"},
    parameter{"eval_every", 10, 0, 10'000, "steps between evaluations; 0: none"},
};

/// Writes the training run: about 10 rows per layer and step; the default sizes fill most of a v5e.
void write_transformer_training(const settings& given, trace_draft& draft);

}  // namespace hbm::trace
