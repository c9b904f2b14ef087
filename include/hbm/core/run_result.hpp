#pragma once

/// The result of a run.

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// The result of a run. It owns its lists.
struct run_result {
    trivial_vector<buffer> outputs;        ///< in the order of the spec
    trivial_vector<std::uint32_t> donors;  ///< per output, the donated input that it took over, or `no_index`
    fence over = {};                       ///< reached when the run is over
    std::uint32_t donated = 0;             ///< number of outputs that took over an input
    bool reloaded = false;                 ///< true if the program had been evicted and was loaded again

    /// Reserves room for this many outputs, so that later runs into this result do not allocate host memory.
    /// Cost: O(outputs).
    constexpr void reserve(std::size_t room) {
        outputs.reserve(room);
        donors.reserve(room);
    }
};

}  // namespace hbm
