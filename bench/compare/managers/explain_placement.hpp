#pragma once

/// Explains a failed row: dumps the memory, and searches for remedies. Placements over 64-bit quanta are compiled
/// already; each over 32-bit quanta takes some seconds.

#include <hbm/explain/dump.hpp>
#include <hbm/explain/explanation.hpp>

#include <cstdint>
#include <map>

#include "compare/managers/explain_failure.hpp"
#include "compare/managers/failure_report.hpp"

namespace hbm::compare {

namespace detail {

/// Lists of a run for `explained_memory`, whose donation policy may be another. A donor that would be taken over is
/// bound to an output of its size, and the other donors are kept.
struct bound_run {
    std::vector<output> outputs;
    std::vector<std::uint32_t> kept;

    template <class Memory>
    explicit bound_run(const Memory& memory) {
        const failed_run& asked = memory.refused();
        std::vector<bool> is_taken(asked.donated.size(), false);
        for (std::size_t at = 0; at < asked.donors.size(); ++at) {
            const std::uint32_t donor = asked.donors[at];
            if (donor == no_index) {
                outputs.push_back(asked.outputs[at]);
                continue;
            }
            is_taken[donor] = true;
            outputs.emplace_back(memory.granted(asked.donated[donor]), asked.outputs[at].label, aliasing::must, donor);
        }
        for (std::uint32_t at = 0; at < is_taken.size(); ++at)
            if (!is_taken[at]) kept.push_back(at);
    }
};

}  // namespace detail

template <class P>
void explain_failure(const explained_memory<P>& memory, const failed_row& row, failure_report& into) {
    into.dumped = dump(memory, row.why, {.programs_leave = row.evicts, .blocks_stay = !row.moves});
    into.dumped.manager = row.manager;
    const std::vector<allocation_age> ages = ages_at(*row.load, row.at);
    std::map<std::uint64_t, allocation_age> by_offset;
    std::map<std::uint64_t, placed_buffer> placed;
    for (std::size_t id = 0; id < ages.size(); ++id) {
        if (memory.check(row.buffers[id]) != error::none) continue;
        const extent where = memory.where(row.buffers[id]);
        by_offset[where.offset] = ages[id];
        placed[where.offset] = {static_cast<trace::id>(id), where};
    }
    set_ages(into.dumped, by_offset);
    set_import(into.dumped, *row.load, row.at, placed);
    set_tags(into.dumped, *row.load, row.at);

    const explain_options how{.effort = row.effort, .blocks_stay = !row.moves};
    if (memory.refused().why == row.why) {
        const detail::bound_run bound{memory};
        run_spec asked = memory.refused().spec();
        asked.outputs = bound.outputs;
        asked.kept = bound.kept;
        into.explained = explanation_of(memory, attempt{memory.refused().subject, asked}, row.why, how);
    } else {
        into.explained = explanation_of(memory, row.why, how);
    }
    if (row.load->rows[row.at].what == trace::op::import) into.explained.message = into.dumped.message;
    into.explained.evicts_by_itself = row.evicts;
    into.explained.donates_by_itself = row.donates;
}

extern template void explain_failure(const explained_memory<chosen_placement>&, const failed_row&, failure_report&);
extern template void explain_failure(const explained_memory<chosen_reserving>&, const failed_row&, failure_report&);

}  // namespace hbm::compare
