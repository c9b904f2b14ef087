#include "compare/managers/failure_report.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "compare/growth/growth.hpp"
#include "compare/managers/texts.hpp"
#include "compare/replay/capacity.hpp"

namespace hbm::compare {

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

namespace {

/// Calls `visit` with every block of a dump.
template <class Visit>
void for_each_block(allocation_dump& dumped, Visit visit) {
    for (auto* list : {&dumped.allocations, &dumped.walls, &dumped.pending_frees})
        for (dumped_block& block : list->items) visit(block);
    for (dumped_hole& hole : dumped.holes.items)
        for (auto* neighbour : {&hole.below, &hole.above})
            if (*neighbour) visit(**neighbour);
}

}  // namespace

void set_ages(allocation_dump& dumped, const std::map<std::uint64_t, allocation_age>& by_offset) {
    for_each_block(dumped, [&](dumped_block& block) {
        if (const auto found = by_offset.find(block.where.offset); found != by_offset.end()) block.age = found->second;
    });
}

void forget_idle_ages(allocation_dump& dumped, const trace::workload& load, std::size_t now) {
    const auto end = load.rows.begin() + static_cast<std::ptrdiff_t>(std::min(now, load.rows.size()));
    const auto runs = [](const trace::row& each) { return each.what == trace::op::run; };
    if (load.has_programs() && std::none_of(load.rows.begin(), end, runs))
        for_each_block(dumped, [](dumped_block& block) { block.age.reset(); });
}

void set_import(allocation_dump& dumped, const trace::workload& load, std::size_t now,
                const std::map<std::uint64_t, placed_buffer>& by_offset) {
    const trace::row& row = load.rows[now];
    if (row.what != trace::op::import || dumped.why.reason != error::range_is_taken) return;
    const extent range{load.details[row.detail].offset, trace::granted(row.bytes, dumped.quantum)};
    const bool is_beyond = range.offset > dumped.managed || range.size > dumped.managed - range.offset;
    const auto taken = std::find_if(by_offset.begin(), by_offset.end(),
                                    [&](const auto& entry) { return entry.second.where.overlaps(range); });
    const bool is_buffer = !is_beyond && taken != by_offset.end();
    dumped.message = filled(is_beyond   ? texts::import_beyond_end
                            : is_buffer ? texts::import_over_buffer
                                        : texts::import_over_program,
                            {{"error", dumped.message},
                             {"size", size_in_words(range.size)},
                             {"begin", grouped_digits(range.offset)},
                             {"end", grouped_digits(is_beyond ? dumped.managed : range.end())},
                             {"buffer", is_buffer ? std::string(load.ids[taken->second.name]) : std::string{}},
                             {"taken", is_buffer ? size_in_words(taken->second.where.size) : std::string{}},
                             {"offset", is_buffer ? grouped_digits(taken->first) : std::string{}}});
}

void set_tags(allocation_dump& dumped, const trace::workload& load, std::size_t now) {
    constexpr std::size_t shown = 10;
    const growth_summary grows = trace::growth_of(load, dumped.quantum, dumped.managed, now);
    // Within a single step blocks come one after the other: that is not growth, and they have no age in steps. Few rows
    // that repeat may be the layers of one.
    const bool may_be_layers = grows.finds_steps && grows.steps < growth_series::kept + growth_series::persistence;
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

}  // namespace hbm::compare
