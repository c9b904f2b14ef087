#pragma once

/// The sections of the report.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "micro/workloads.hpp"

namespace hbm::micro {

/// The options of the command line.
struct report_options {
    std::vector<std::string> sections;  ///< empty: all
    bool full = false;                  ///< also measure a million blocks, and all traces
    std::uint64_t seed = 0;             ///< added to the seed of each workload
};

/// All workloads by name; a workload is generated at its first use.
class catalogue {
public:
    explicit catalogue(const report_options& options);

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] const std::string& name(std::size_t at) const { return entries_[at].name; }
    [[nodiscard]] const workload& operator[](std::size_t at);
    [[nodiscard]] const workload& operator[](std::string_view name);

private:
    struct entry {
        std::string name;
        std::function<workload()> make;
        workload made;
    };
    std::vector<entry> entries_;
};

/// Print a section each; return false if a check of a peer failed.
bool report_speed(catalogue& workloads);
bool report_tail(catalogue& workloads);
bool report_footprint(catalogue& workloads);
bool report_metadata(catalogue& workloads);
bool report_growth(const report_options& options);
bool report_run(const report_options& options);
bool report_fork(const report_options& options);
bool report_plans(const report_options& options);
bool report_explain(const report_options& options);

}  // namespace hbm::micro
