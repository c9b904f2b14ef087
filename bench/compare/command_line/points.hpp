#pragma once
/// What is compared: each requested workload in each requested memory.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// Workload to be read or generated, and its memory.
struct workload_point {
    enum class kind : std::uint8_t { file, recorded, generated, programs };

    kind what = kind::file;
    std::string text;  ///< path; or `NAME[:key=value,...]`
    capacity_choice capacity;
    std::uint64_t quantum = device_quantum;  ///< bytes
    std::uint64_t seed = 0;                  ///< seed of a generated workload; 0 for others
    bool has_several_capacities = false;     ///< true if the command line asks for several
};

/// Returns all points, each once: source by source as given, for each all quanta, and for each of them all capacities.
[[nodiscard]] std::vector<workload_point> all_points(const options& settings, std::vector<std::string>& warnings);

}  // namespace hbm::compare
