#include "compare/managers/failure_report.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "compare/growth/growth.hpp"
#include "compare/managers/explain.hpp"
#include "compare/replay/capacity.hpp"

namespace hbm::compare {

namespace {

/// Returns the age of the latest buffer of each id when the row `now` fails, in rows. Cost: O(rows).
std::vector<allocation_age> ages_at(const trace::workload& load, std::size_t now) {
    std::vector<allocation_age> births(load.ids.size());
    allocation_age so_far;
    for (std::size_t at = 0; at < now; so_far.events = ++at) {
        const trace::row& row = load.rows[at];
        if (row.what == trace::op::alloc || row.what == trace::op::import) births[row.subject] = so_far;
        if (row.what != trace::op::run) continue;
        ++so_far.runs;
        const trace::operand_range outputs = load.details[row.detail].outputs;
        for (std::uint32_t i = 0; i < outputs.count; ++i) births[load.outputs[outputs.first + i].name] = so_far;
    }
    for (allocation_age& age : births) age = {so_far.events - age.events, so_far.runs - age.runs};
    return births;
}

/// Calls `visit` with every block of a dump.
template <class Visit>
void for_each_block(allocation_dump& dumped, Visit visit) {
    for (auto* list : {&dumped.allocations, &dumped.walls, &dumped.pending_frees})
        for (dumped_block& block : list->items) visit(block);
    for (dumped_hole& hole : dumped.holes.items)
        for (auto* neighbour : {&hole.below, &hole.above})
            if (*neighbour) visit(**neighbour);
}

/// Adds the range of a failed import and its obstacle to the dump's message, if the row `now` is one. The obstacle is
/// the lowest buffer in the range, or the end of memory.
void add_import(allocation_dump& dumped, const trace::workload& load, std::size_t now,
                const std::vector<extent>& places) {
    const trace::row& row = load.rows[now];
    if (row.what != trace::op::import || dumped.why.reason != error::range_is_taken) return;
    const extent range{load.details[row.detail].offset, trace::granted(row.bytes, dumped.quantum)};
    dumped.message += "; requested: " + size_in_words(range.size) + " at " + grouped_digits(range.offset);
    if (range.offset > dumped.managed || range.size > dumped.managed - range.offset) {
        dumped.message += ", and the memory ends at " + grouped_digits(dumped.managed);
        return;
    }
    dumped.message += ", to " + grouped_digits(range.end()) + ", where ";
    std::size_t lowest = places.size();
    for (std::size_t id = 0; id < places.size(); ++id)
        if (places[id].overlaps(range) && (lowest == places.size() || places[id].offset < places[lowest].offset))
            lowest = id;
    if (lowest == places.size())
        dumped.message += "the code of a program lies, or memory that programs have reserved";
    else
        dumped.message += "buffer '" + std::string(load.ids[lowest]) + "' of " + size_in_words(places[lowest].size) +
                          " lies at " + grouped_digits(places[lowest].offset);
}

/// Adds the tags of the trace. Growth and age are left out if the trace marks no steps.
void add_tags(allocation_dump& dumped, const trace::workload& load, std::size_t now) {
    constexpr std::size_t shown = 10;
    const growth_summary grows = trace::growth_of(load, dumped.quantum, dumped.managed, now);
    // Within a single step blocks come one after the other: that is not growth, and they have no age in steps. Few rows
    // that repeat may be the layers of one.
    const bool may_be_layers = grows.finds_steps && grows.steps < certain_growth_steps;
    const bool has_steps = !grows.marks_no_steps && !grows.is_instant && !may_be_layers;
    std::vector<dumped_tag> all;
    for (const tag_growth& each : grows.tags) {
        // Programs are those that the manager has in memory, not those that the trace has loaded.
        if (each.is_programs || each.at_end.count == 0) continue;
        all.push_back({.name = each.is_several ? "(several)" : each.name,
                       .bytes = each.at_end.bytes,
                       .blocks = each.at_end.count,
                       .oldest_steps = has_steps ? each.at_end.oldest_steps : std::nullopt,
                       .since_step = has_steps && each.growth ? each.growth->since : 0});
        if (has_steps) all.back().micro_bytes_a_step = each.growth ? each.growth->micro_bytes_a_step() : 0;
    }
    for (dumped_tag& each : dumped.tags.items)
        if (each.is_programs) all.push_back(std::move(each));
    dumped.tags = shown_tags(std::move(all), shown);
}

}  // namespace

void forget_idle_ages(allocation_dump& dumped, const trace::workload& load, std::size_t now) {
    const auto end = load.rows.begin() + static_cast<std::ptrdiff_t>(std::min(now, load.rows.size()));
    const auto runs = [](const trace::row& each) { return each.what == trace::op::run; };
    if (load.has_programs() && std::none_of(load.rows.begin(), end, runs))
        for_each_block(dumped, [](dumped_block& block) { block.age.reset(); });
}

void add_workload(allocation_dump& dumped, const trace::workload& load, std::size_t now,
                  const std::vector<extent>& places) {
    const std::vector<allocation_age> ages = ages_at(load, now);
    std::map<std::uint64_t, allocation_age> by_offset;
    for (std::size_t id = 0; id < places.size(); ++id)
        if (places[id].size != 0) by_offset[places[id].offset] = ages[id];
    for_each_block(dumped, [&](dumped_block& block) {
        if (const auto found = by_offset.find(block.where.offset); found != by_offset.end()) block.age = found->second;
    });
    add_import(dumped, load, now, places);
    add_tags(dumped, load, now);
}

template void explain_failure(const explained_memory<chosen_placement>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<chosen_reserving>&, const failed_row&, failure_report&);

}  // namespace hbm::compare
