#pragma once

/// The report about a manager that failed: what was in its memory, and what would have helped.

#include <hbm/explain/dump_value.hpp>
#include <hbm/explain/explanation.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// The dump and the explanation; both are empty if no row failed.
struct failure_report {
    allocation_dump dumped;
    explanation explained;
};

/// The age of the latest buffer of each id when the row `now` fails, in rows. O(rows).
[[nodiscard]] std::vector<allocation_age> ages_at(const trace::workload& load, std::size_t now);

/// Writes ages into a dump, by the offsets of its blocks.
void set_ages(allocation_dump& dumped, const std::map<std::uint64_t, allocation_age>& by_offset);

/// Takes the ages out of a dump of a workload with programs of which none had run before the row `now`: then they only
/// number the buffers. O(rows + blocks).
void forget_idle_ages(allocation_dump& dumped, const trace::workload& load, std::size_t now);

/// A buffer of the workload, and where it is.
struct placed_buffer {
    trace::id name = 0;
    extent where = {};
};

/// Where the row `now` is an import that failed, names in the dump's message the range and what lies there: the lowest
/// of the buffers that it meets, or the end of memory. O(buffers).
void set_import(allocation_dump& dumped, const trace::workload& load, std::size_t now,
                const std::map<std::uint64_t, placed_buffer>& by_offset);

/// Writes into a dump what each tag of the trace has and grows by when the row `now` fails; neither growth nor age
/// where the trace marks no steps. O(rows).
void set_tags(allocation_dump& dumped, const trace::workload& load, std::size_t now);

}  // namespace hbm::compare
