#pragma once

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// The result of a run. It owns its lists.
struct run_result {
    trivial_vector<buffer> outputs;        ///< buffers in the order of the spec
    trivial_vector<std::uint32_t> donors;  ///< by output: index of the donated input that it took over, or `no_index`
    fence over = {};                       ///< reached when the run is over
    std::uint32_t donated = 0;             ///< number of outputs that took over an input
    bool reloaded = false;                 ///< the program was evicted and had to be loaded again

    /// Reserves host memory for `count` outputs, so that later runs into this result do not allocate.
    constexpr void reserve(std::size_t count) {
        outputs.reserve(count);
        donors.reserve(count);
    }
};

}  // namespace hbm::inline v0
