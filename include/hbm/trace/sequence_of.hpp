#pragma once
// The requests of a workload, to make a plan of.

#include <hbm/core/request.hpp>
#include <hbm/pack/known_sequence.hpp>
#include <hbm/trace/workload.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::trace {

/// What the first rows of a workload ask for and free, in quanta: its alloc and free rows. What programs take and what
/// runs put out depends on the policies of a manager and is left out. Empty if a size has more than 2^30 - 1 quanta.
/// O(rows).
[[nodiscard]] inline known_sequence sequence_of(const workload& load, std::size_t rows, std::uint64_t quantum) {
    known_sequence made;
    std::vector<std::uint32_t> request_of(load.ids.size(), no_event);
    for (std::size_t at = 0; at < rows && at < load.rows.size(); ++at) {
        const row& next = load.rows[at];
        if (next.what == op::alloc) {
            const std::optional<std::uint32_t> size = to_quanta<std::uint32_t>(next.bytes, quantum);
            if (!size || *size > plan_event::most) return {};
            request_of[next.subject] = made.ask(*size);
        } else if (next.what == op::free && request_of[next.subject] != no_event) {
            made.free(request_of[next.subject]);
            request_of[next.subject] = no_event;
        }
    }
    return made;
}

}  // namespace hbm::trace
