#pragma once
// A training run that saves its state now and then and is restarted. A save gathers the sharded arrays, a few at a
// time, and holds each until the host has copied it. A failure ends the process. The next process restores the arrays
// of the last complete save, in another order than that of their creation.

#include <array>

#include "compare/generate/parameters.hpp"
#include "compare/generate/trace_draft.hpp"

namespace hbm::trace {

/// Parameters of `checkpoint_restart`.
inline constexpr std::array checkpoint_restart_parameters{
    parameter{"layers", 16, 1, 256, "transformer layers"},
    parameter{"devices", 4, 1, 65536, "devices that share the state"},
    parameter{"batch", 5, 1, 4096, "sequences a step on this device"},
    parameter{"hidden", 4096, 8, 65536, "width of the model"},
    parameter{"vocabulary", 32000, 1, 1'000'000, "tokens the model knows"},
    parameter{"sequence", 2048, 1, 1'000'000, "tokens of a sequence"},
    parameter{"steps", 120, 0, 100'000, "optimizer steps, those done again after a restart included"},
    parameter{"save_every", 15, 0, 100'000, "steps between saves; 0: none"},
    parameter{"restart_every", 40, 0, 100'000, "steps between failures, on average; 0: none"},
    parameter{"gather", 1, 0, 1, "1: whole arrays are gathered for a save; 0: this device saves its shards"},
    parameter{"copies", 2, 1, 64, "arrays that are on their way to or from the host at a time"},
};

/// Writes the training run: four rows per array and save. With the default sizes a step needs most of a v5e, and the
/// arrays that a save gathers take the rest.
void write_checkpoint_restart(const settings& given, trace_draft& draft);

}  // namespace hbm::trace
