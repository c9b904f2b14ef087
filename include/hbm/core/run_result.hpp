#pragma once

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// An argument that moved before its run. Offsets and size in bytes.
struct moved_argument {
    std::uint32_t argument = no_index;  ///< index among the inputs and then the donated buffers of the run
    std::uint64_t from = 0;
    std::uint64_t to = 0;  ///< its offset during the run
    std::uint64_t bytes = 0;

    friend constexpr bool operator==(const moved_argument&, const moved_argument&) = default;
};

/// The result of a run. It owns its lists.
struct run_result {
    trivial_vector<buffer> outputs;        ///< buffers in the order of the spec
    trivial_vector<std::uint32_t> donors;  ///< by output: index of the donated input that it took over, or `no_index`
    trivial_vector<moved_argument> moved;  ///< arguments that moved first; the only place that names that of a donor
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
