#pragma once

/// The workloads by name, and the cells that Google Benchmark times.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "micro/workloads.hpp"

namespace hbm::micro {

/// Options of the command line.
struct report_options {
    bool speed = true;                    ///< true to time the cells
    bool tail = true;                     ///< true to time single operations
    bool full = false;                    ///< true to measure also a million blocks, and all traces
    bool traces = false;                  ///< true to time traces only: the recorded ones and `files`
    std::uint64_t seed = 0;               ///< number added to the seed of each workload
    std::vector<std::string> files = {};  ///< paths of traces to time as well
    std::string against = "two_maps";     ///< name of the allocator that times are compared with
};

/// All workloads by name; a workload is generated at its first use.
class catalogue {
public:
    explicit catalogue(const report_options& options);
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] const std::string& name(std::size_t at) const { return entries_[at].name; }
    [[nodiscard]] const workload& operator[](std::size_t at);

private:
    struct entry {
        std::string name;
        std::function<workload()> generate;
        workload load;
    };
    std::vector<entry> entries_;
};

/// Registers a cell for each workload and peer.
void register_speed(catalogue& workloads);
/// Times single operations at 100,000 live blocks, and prints a table.
void report_tail(const report_options& options);

}  // namespace hbm::micro
