#pragma once

/// The parts of the report, and what they are about.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "micro/workloads.hpp"

namespace hbm::micro {

/// What the command line asks for.
struct wishes {
    std::vector<std::string> sections;  ///< none: all
    bool full = false;                  ///< a million blocks and all traces as well
    std::uint64_t seed = 0;             ///< added to the seed of each workload
    std::vector<std::string> traces;    ///< files for the section on moves; none: those that ship
};

/// All workloads by name; one is made when it is first looked at.
class catalogue {
public:
    explicit catalogue(const wishes& asked);

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

/// Each prints one part; false when something that was measured was not right.
bool report_speed(catalogue& workloads);
bool report_tail(catalogue& workloads);
bool report_footprint(catalogue& workloads);
bool report_metadata(catalogue& workloads);
bool report_growth(const wishes& asked);
bool report_run(const wishes& asked);
bool report_fork(const wishes& asked);
bool report_plans(const wishes& asked);
bool report_moves(const wishes& asked);
bool report_evictions(const wishes& asked);
bool report_hints(const wishes& asked);

}  // namespace hbm::micro
