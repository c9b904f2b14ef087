#pragma once
// A workload of programs that run step after step on one device, as a training loop or a server runs them.
//
// First each program is loaded and its arguments are allocated. Then come the steps. An output that becomes an argument
// of the next step takes over its memory if the program donates it. Otherwise the old argument is freed after the run.
// An output that becomes no argument is freed when the next run of its program has replaced it. After the last step
// everything stays in memory, as between two steps.

#include <cstdint>
#include <span>
#include <string>

#include "compare/read/xla/program.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::imported {

/// Program and its schedule.
struct scheduled_program {
    imported_program what;
    std::string name;         ///< id of the program; different from all others
    std::uint64_t runs = 3;   ///< number of runs
    std::uint64_t every = 1;  ///< period in steps, from the first step on; at least 1
    donation_choice donation = donation_choice::as_is;
    /// True if arguments share the buffers of earlier programs' arguments of the same size and shape. The weights of
    /// several programs of a server do so.
    bool shares_arguments = false;
};

}  // namespace hbm::imported

namespace hbm::compare {

/// Returns the workload of these programs, of that name. Throws `usage_error` if a program is impossible.
/// Cost: O(runs x (arguments + outputs)).
[[nodiscard]] trace::workload workload_of(std::span<const imported::scheduled_program> programs, std::string name);

}  // namespace hbm::compare
