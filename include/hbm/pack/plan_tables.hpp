#pragma once

/// The tables of a plan, by which a program is found in it.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/placement/sequence_plan.hpp>
#include <hbm/search/heap_sort.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace hbm {

namespace plan_detail {

/// Writes a hash into a table with room for it, unless it is there.
constexpr void enter(trivial_vector<plan_key>& table, std::uint32_t hash, std::uint32_t event) noexcept {
    std::size_t at = slot_of(hash, table.size());
    for (; table[at].event != no_event; at = at + 1 == table.size() ? 0 : at + 1)
        if (table[at].hash == hash) return;
    table[at] = {hash, event};
}

/// Makes a table with room for so many hashes, three quarters full at most.
constexpr void make_table(trivial_vector<plan_key>& table, std::size_t hashes) {
    table.assign(hashes + hashes / 3 + 2, plan_key{});
}

/// Makes the tables of a plan whose events, steps and places are there: they follow from those. Of beginnings that two
/// steps share, the table names the step that is higher. O(events).
constexpr void make_tables(sequence_plan& plan) {
    make_table(plan.beginnings, plan.events.size());
    make_table(plan.contexts, plan.events.size() / 2 + 1);
    trivial_vector<std::uint32_t> by_height;
    for (std::uint32_t step = 0; step < plan.steps.size(); ++step) by_height.push_back(step);
    heap_sort(by_height, [&](std::uint32_t a, std::uint32_t b) {
        return plan.steps[a].height != plan.steps[b].height ? plan.steps[a].height > plan.steps[b].height : a < b;
    });
    for (const std::uint32_t step : by_height) {
        std::uint32_t prefix = no_prefix;
        for (std::uint32_t at = plan.steps[step].first; at < plan.steps[step].end; ++at) {
            prefix = after(prefix, plan.events[at], plan.steps[step].first);
            enter(plan.beginnings, prefix, at);
        }
    }
    // Contexts reach back into the step before, as the steps came; of equal contexts the first counts, and every other
    // event is enough to be recognised soon.
    std::uint32_t hash = 0;
    std::array<std::uint32_t, context_events> latest{};
    std::size_t count = 0;
    trivial_vector<std::uint8_t> seen(plan.steps.size(), 0);
    for (const std::uint32_t step : plan.order) {
        // A step that was seen counts for the context of what follows only.
        const bool again = seen[step] != 0;
        const std::uint32_t events = plan.steps[step].end - plan.steps[step].first;
        const std::uint32_t skipped = again && events > context_events ? events - context_events : 0;
        for (std::uint32_t at = plan.steps[step].first + skipped; at < plan.steps[step].end; ++at) {
            const std::uint32_t number = in_context(plan.events[at].size(), plan.events[at].is_free());
            hash = hash * context_factor + number - latest[count % context_events] * factor_of_leaving();
            latest[count++ % context_events] = number;
            if (!again && at % 2 == 0 && count >= context_events) enter(plan.contexts, mixed(hash), at);
        }
        seen[step] = 1;
    }
}

}  // namespace plan_detail

}  // namespace hbm
