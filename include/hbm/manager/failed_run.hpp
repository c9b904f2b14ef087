#pragma once

#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// A run that was refused: its arguments and its failure, kept to be explained.
struct failed_run {
    failure why;  ///< reason `error::none` if no run was refused
    program subject;
    trivial_vector<buffer> inputs;
    trivial_vector<buffer> donated;
    trivial_vector<output> outputs;
    trivial_vector<std::uint32_t> kept;
    trivial_vector<std::uint32_t> donors;  ///< by output: index of the donated input that it takes over, or `no_index`
    std::uint64_t fresh_bytes = 0;         ///< bytes of the other outputs, rounded up to the quantum
    std::uint64_t run_us = 0;
    bool arguments_may_move = false;

    /// Returns the run as a spec, valid until this object ends or another run is refused.
    [[nodiscard]] constexpr run_spec spec() const noexcept {
        return {inputs, donated, outputs, kept, run_us, arguments_may_move};
    }
};

}  // namespace hbm::inline v0
