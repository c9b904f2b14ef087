#pragma once

/// Report about a manager that failed: the contents of its memory, and possible remedies.

#include <hbm/explain/dump_text.hpp>
#include <hbm/explain/explanation.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// Dump and explanation; both are empty if no row failed.
struct failure_report {
    allocation_dump dumped;
    explanation explained;
};

/// Returns the age of the latest buffer of each id when the row `now` fails, in rows. Cost: O(rows).
[[nodiscard]] std::vector<allocation_age> ages_at(const trace::workload& load, std::size_t now);

/// Writes ages into a dump, by the offsets of its blocks.
void set_ages(allocation_dump& dumped, const std::map<std::uint64_t, allocation_age>& by_offset);

/// Removes the ages from a dump of a workload with programs if none had run before the row `now`. Ages would then only
/// number the buffers.
/// Cost: O(rows + blocks).
void forget_idle_ages(allocation_dump& dumped, const trace::workload& load, std::size_t now);

/// Buffer of the workload, and its place.
struct placed_buffer {
    trace::id name = 0;
    extent where = {};
};

/// Adds the range of a failed import and its obstacle to the dump's message, if the row `now` is one. The obstacle is
/// the lowest buffer in the range, or the end of memory.
/// Cost: O(buffers).
void set_import(allocation_dump& dumped, const trace::workload& load, std::size_t now,
                const std::map<std::uint64_t, placed_buffer>& by_offset);

/// Adds the tags of the trace to a dump, each with its bytes and growth when the row `now` fails. Growth and age are
/// left out if the trace marks no steps.
/// Cost: O(rows).
void set_tags(allocation_dump& dumped, const trace::workload& load, std::size_t now);

}  // namespace hbm::compare
