#pragma once

/// Explains a failed row: dumps the memory, and searches for remedies. Placements that are chosen at run time are
/// compiled already; each of a user's own takes some seconds.

#include <hbm/explain/dump.hpp>
#include <hbm/explain/explanation.hpp>
#include <hbm/manager.hpp>

#include <cstdint>
#include <vector>

#include "compare/managers/chosen_placement.hpp"
#include "compare/managers/chosen_policies.hpp"
#include "compare/managers/failure_report.hpp"
#include "compare/replay/replayed_manager.hpp"

namespace hbm::compare {

/// Manager in which a failure is explained, one type for all managers of a placement.
template <class P>
using explained_memory = manager<P, chosen_eviction, chosen_donation, chosen_relief>;

/// Explains the memory after a failed row.
template <class P>
void explain_failure(const explained_memory<P>& memory, const failed_row& row, failure_report& into) {
    into.dumped = dump(memory, row.why, {.programs_leave = row.evicts, .blocks_stay = !row.moves});
    into.dumped.manager = row.manager;
    std::vector<extent> places(row.buffers.size());
    for (std::size_t id = 0; id < places.size(); ++id)
        if (memory.check(row.buffers[id]) == error::none) places[id] = memory.where(row.buffers[id]);
    add_workload(into.dumped, *row.load, row.at, places);

    const explain_options how{.effort = row.effort, .blocks_stay = !row.moves};
    if (const failed_run& asked = memory.refused(); asked.why == row.why) {
        // The donation policy of `memory` may be another. A donor that would be taken over is bound to an output of its
        // size, and the other donors are kept.
        std::vector<output> outputs;
        std::vector<std::uint32_t> kept;
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
        run_spec spec = asked.spec();
        spec.outputs = outputs;
        spec.kept = kept;
        into.explained = explanation_of(memory, attempt{asked.subject, spec}, row.why, how);
    } else {
        into.explained = explanation_of(memory, row.why, how);
    }
    if (row.load->rows[row.at].what == trace::op::import) into.explained.message = into.dumped.message;
    into.explained.evicts_by_itself = row.evicts;
    into.explained.donates_by_itself = row.donates;
}

extern template void explain_failure(const explained_memory<chosen_placement>&, const failed_row&, failure_report&);
extern template void explain_failure(const explained_memory<chosen_reserving>&, const failed_row&, failure_report&);

/// Explains the memory of a manager of type `Manager`. Remedies may evict and donate even if it does not.
template <class Manager>
void explain(const trace::replayed_memory& memory, const failed_row& row, failure_report& into) {
    using explained = explained_memory<typename Manager::placement_type>;
    const Manager& failed = static_cast<const trace::replayed<Manager>&>(memory).manager();
    policy_choices relief{.relief = relief_choice::compact_first, .moves = row.moves};
    if (row.evicts) relief.eviction = eviction_choice::lru;
    explain_failure<typename Manager::placement_type>(
        failed.template under<explained>({.eviction = {.which = eviction_choice::lru},
                                          .donation = {donation_choice::same_size},
                                          .relief = {.chosen = relief}}),
        row, into);
}

}  // namespace hbm::compare
