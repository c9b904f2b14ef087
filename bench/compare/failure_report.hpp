#pragma once

/// What is written about a manager that failed: what was in its memory, and what would have helped.

#include <hbm/report/dump_value.hpp>
#include <hbm/report/explanation.hpp>
#include <hbm/trace/workload.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace hbm::compare {

/// Both are empty when no row failed.
struct failure_report {
    allocation_dump dumped;
    explanation explained;
};

/// How old the buffer of each id is when the row `now` fails, counted in rows; of the latest of that id. O(rows).
[[nodiscard]] std::vector<allocation_age> ages_at(const trace::workload& load, std::size_t now);

/// Writes ages into a dump, by the offsets of its blocks.
void set_ages(allocation_dump& dumped, const std::map<std::uint64_t, allocation_age>& by_offset);

}  // namespace hbm::compare
