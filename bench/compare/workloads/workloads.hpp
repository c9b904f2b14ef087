#pragma once
/// The workloads of the comparison, and their memories.

#include <hbm/core/memory_spec.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/command_line/sweep.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// How a memory is limited.
enum class limit : std::uint8_t {
    unlimited,  ///< no limit; managers without a footprint run at their minimum capacity
    minimum,    ///< each manager at its minimum capacity
    needed,     ///< the same, and beside it the footprint in unlimited memory
    given,      ///< a capacity
};

/// A workload and the memory in which it is replayed.
struct scenario {
    trace::workload load;
    limit how = limit::unlimited;
    memory_spec device;           ///< quantum and bandwidths; the capacity only if it was given
    std::uint64_t min_bytes = 0;  ///< a lower bound of the capacity that any manager needs
    bool has_programs = false;
    bool has_donations = false;
    sweep_point at = {};                  ///< what was asked for
    std::string title = {};               ///< the name of the workload, and what tells it from others of that name
    std::vector<std::string> notes = {};  ///< what a person should know beside the figures; the first is the answer
};

/// Whether two workloads have the same buffers with the same lives, as the points of a sweep over capacities have.
/// O(rows).
[[nodiscard]] inline bool have_same_rows(const scenario& a, const scenario& b) {
    return a.device.quantum == b.device.quantum && a.load.rows == b.load.rows && a.load.times == b.load.times &&
           a.load.details == b.load.details && a.load.outputs == b.load.outputs && a.load.operands == b.load.operands;
}

/// Whether a workload is a profile or a snapshot: their rows have no lines, as those of traces have. O(1).
[[nodiscard]] inline bool is_imported(const scenario& in) noexcept {
    return in.at.what == sweep_point::kind::file && in.load.lines.empty() && !in.load.rows.empty();
}

/// Whether no manager at all can complete the workload in its memory: even its least bytes are more. O(1).
[[nodiscard]] constexpr bool must_fail(const scenario& in) noexcept {
    return in.how == limit::given && in.min_bytes > in.device.capacity / in.device.quantum * in.device.quantum;
}

/// The path of a recorded trace.
[[nodiscard]] std::string recorded_path(const options& asked, const std::string& name);

/// Reads and generates the workloads of `points`, each once and on as many cores as were asked for. Returns what is
/// wrong, or an empty text; warnings are added to `warnings`.
[[nodiscard]] std::string gather_points(const options& asked, std::span<const sweep_point> points,
                                        std::vector<scenario>& into, std::vector<std::string>& warnings);

/// The same for all points of the command line, or the default workloads.
[[nodiscard]] std::string gather_workloads(const options& asked, std::vector<scenario>& into,
                                           std::vector<std::string>& warnings);

/// Sets the title of every scenario: the name of its workload, and of capacity, quantum and seed those in which it
/// differs from others of that name, such as `slow_leak, capacity 4GiB, seed 2`. O(scenarios x log scenarios).
void set_titles(std::vector<scenario>& all);

/// The title without its seed, for what is said of several seeds. O(length of the title).
[[nodiscard]] std::string title_over_seeds(const scenario& of);

}  // namespace hbm::compare
