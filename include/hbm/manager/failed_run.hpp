#pragma once

/// A run that found no room, kept so that it can be explained.

#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstdint>

namespace hbm {

/// What a run asked for, and why it was refused.
struct failed_run {
    failure why;  ///< reason `error::none` as long as none was refused
    program subject;
    trivial_vector<buffer> inputs;
    trivial_vector<buffer> donated;
    trivial_vector<output> outputs;
    trivial_vector<std::uint32_t> kept;
    trivial_vector<std::uint32_t> donors;  ///< for each output which donated input it takes over, or `no_index`
    std::uint64_t fresh_bytes = 0;         ///< of the outputs that take nothing over, rounded up to the quantum
    std::uint64_t run_us = 0;

    /// The same as a call; valid as long as this is, and no other run is refused.
    [[nodiscard]] constexpr run_spec spec() const noexcept {
        return {.inputs = inputs, .donated = donated, .outputs = outputs, .kept = kept, .run_us = run_us};
    }
};

}  // namespace hbm
