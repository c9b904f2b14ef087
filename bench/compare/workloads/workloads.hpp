#pragma once
/// Workloads of the comparison, and their memories.

#include <hbm/core/memory_spec.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/command_line/points.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::compare {

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

/// Returns true if two workloads have the same buffers with the same lives, such as points of a sweep over capacities.
/// Cost: O(rows).
[[nodiscard]] inline bool have_same_rows(const scenario& a, const scenario& b) {
    return a.device.quantum == b.device.quantum && a.load.rows == b.load.rows && a.load.times == b.load.times &&
           a.load.details == b.load.details && a.load.outputs == b.load.outputs && a.load.operands == b.load.operands;
}

/// Returns true if a workload is a profile or a snapshot: unlike those of traces, their rows have no lines. Cost: O(1).
[[nodiscard]] inline bool is_imported(const scenario& scene) noexcept {
    return scene.at.what == workload_point::kind::file && scene.load.lines.empty() && !scene.load.rows.empty();
}

/// Returns true if no manager can complete the workload in its memory: even `min_bytes` exceeds it. Cost: O(1).
[[nodiscard]] constexpr bool must_fail(const scenario& load) noexcept {
    return load.how == limit::given &&
           load.min_bytes > load.device.capacity / load.device.quantum * load.device.quantum;
}

/// Reads a trace, profile or snapshot. Returns the error, or an empty text.
[[nodiscard]] std::string gather_file(const std::string& path, std::string_view device, trace::workload& load);

/// Returns the path of a recorded trace.
[[nodiscard]] std::string recorded_path(const options& settings, const std::string& name);

/// Reads and generates the workloads of `points`, each once and on the requested number of cores. Returns the error, or
/// an empty text. Appends to `warnings`.
[[nodiscard]] std::string gather_points(const options& settings, std::span<const workload_point> points,
                                        std::vector<scenario>& target, std::vector<std::string>& warnings);

/// Gathers the workloads of all points of the command line, or the default workloads. Returns the error, or an empty
/// text.
[[nodiscard]] std::string gather_workloads(const options& settings, std::vector<scenario>& target,
                                           std::vector<std::string>& warnings);

/// Sets the title of every scenario: the name of its workload, with the capacity or quantum that distinguishes it, such
/// as `slow_leak, capacity 4GiB`. Cost: O(scenarios x log scenarios).
void set_titles(std::vector<scenario>& all);

/// Checks the options next to --growth, which compares nothing.
[[nodiscard]] std::string find_beside_growth(const options& settings);

/// Checks the options next to --message, whose answer is text about the message alone.
[[nodiscard]] std::string find_beside_message(const options& settings);

/// Checks the options next to --serve, whose answer is text about one device.
[[nodiscard]] std::string find_beside_serve(const options& settings);

/// Returns a sentence for each given option without effect next to --growth or --message.
[[nodiscard]] std::vector<std::string> without_effect(const options& settings);

/// Returns a sentence for each given option without effect on the compared scenarios.
[[nodiscard]] std::vector<std::string> without_effect(const options& settings, const std::vector<scenario>& all);

}  // namespace hbm::compare
