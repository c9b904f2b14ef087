#pragma once

/// A run that found no room, kept so that it can be explained.

#include <hbm/core/bytes.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>

#include <cstdint>
#include <vector>

namespace hbm {

/// What a run asked for, and why it was refused.
struct refused_run {
    failure why;  ///< reason `error::none` as long as none was refused
    program subject;
    std::vector<buffer> inputs;
    std::vector<buffer> donated;
    std::vector<output> outputs;
    std::vector<std::uint32_t> kept;
    std::vector<std::uint32_t> donors;  ///< for each output which donated input it takes over, or `no_index`
    std::uint64_t fresh_bytes = 0;      ///< of the outputs that take nothing over, rounded up to the quantum
    std::uint64_t run_us = 0;

    /// Keeps a run; its lists may be those of an earlier run that was kept here. Sizes are rounded up to `quantum`.
    constexpr void keep(const failure& reason, program ran, const run_spec& run, std::uint64_t quantum,
                        const std::vector<std::uint32_t>& donor_of_output) {
        const auto copy = [](auto& into, const auto& from) {
            if (from.begin() != into.data()) into.assign(from.begin(), from.end());
        };
        why = reason;
        subject = ran;
        copy(inputs, run.inputs);
        copy(donated, run.donated);
        copy(outputs, run.outputs);
        copy(kept, run.kept);
        donors = donor_of_output;
        run_us = run.run_us;
        fresh_bytes = 0;
        for (std::size_t at = 0; at < outputs.size(); ++at)
            if (donors[at] == no_index)
                fresh_bytes = saturating_add(
                    fresh_bytes,
                    round_up(outputs[at].bytes == 0 ? 1 : outputs[at].bytes, quantum).value_or(~std::uint64_t{0}));
    }

    /// The same as a call; valid as long as this is, and no other run is refused.
    [[nodiscard]] constexpr run_spec spec() const noexcept {
        return {.inputs = inputs, .donated = donated, .outputs = outputs, .kept = kept, .run_us = run_us};
    }
};

}  // namespace hbm
