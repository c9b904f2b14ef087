#pragma once

/// What is replayed, and in what memory.

#include <hbm/core/memory_spec.hpp>
#include <hbm/trace/workload.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "compare/options.hpp"

namespace hbm::compare {

/// How a memory is limited.
enum class limit : std::uint8_t { unlimited, minimum, given };

/// A workload and the memory that it meets.
struct scenario {
    trace::workload load;
    limit how = limit::unlimited;
    memory_spec device;           ///< its capacity counts only when it is given; its quantum and bandwidths always
    std::uint64_t min_bytes = 0;  ///< bytes that no manager can do without
    bool has_programs = false;
    bool has_donations = false;
};

/// Reads and generates everything that the command line asks for, or the default workloads. Returns what is wrong,
/// empty when all is well; what only deserves a warning is added to `warnings`.
[[nodiscard]] std::string gather_workloads(const options& asked, std::vector<scenario>& into,
                                           std::vector<std::string>& warnings);

}  // namespace hbm::compare
