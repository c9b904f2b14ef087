#pragma once
/// What is compared: each requested workload in each requested memory.

#include <hbm/core/memory_spec.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/replay/workload.hpp"

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

/// Limit of a memory.
enum class limit : std::uint8_t {
    unlimited,  ///< no limit; managers without a footprint run at their minimum capacity
    minimum,    ///< each manager at its minimum capacity
    needed,     ///< each manager at its minimum capacity, and its footprint in unlimited memory
    given,      ///< a capacity
};

/// Workload, and the memory in which it is replayed.
struct scenario {
    trace::workload load;
    limit how = limit::unlimited;
    memory_spec device;                 ///< quantum and bandwidths; the capacity only if it was given
    std::uint64_t min_bytes = 0;        ///< lower bound of the capacity that any manager needs
    std::uint64_t peak_live_bytes = 0;  ///< see `trace::peak_live_bytes`
    bool has_programs = false;
    bool has_donations = false;
    workload_point at = {};               ///< its point
    std::string title = {};               ///< name of the workload, and its difference from others of that name
    std::vector<std::string> notes = {};  ///< remarks for the user in addition to the figures; the first is the answer
};

/// Returns true if two workloads have the same buffers with the same lives, as at several capacities. Cost: O(rows).
[[nodiscard]] bool have_same_rows(const scenario& a, const scenario& b);

/// Returns true if a workload is a profile: unlike those of traces, its rows have no lines. Cost: O(1).
[[nodiscard]] bool is_imported(const scenario& scene) noexcept;

/// Returns true if no manager can complete the workload in its memory: even `min_bytes` exceeds it. Cost: O(1).
[[nodiscard]] bool must_fail(const scenario& load) noexcept;

/// Reads and generates the workloads of the command line, or the default workloads, each once and on the requested
/// number of cores: source by source as given, for each all quanta, and for each of them all capacities. Appends to
/// `warnings`. Throws `usage_error`.
[[nodiscard]] std::vector<scenario> gather_workloads(const options& settings, std::vector<std::string>& warnings);

}  // namespace hbm::compare
