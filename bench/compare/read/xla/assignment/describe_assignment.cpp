#include "compare/read/xla/assignment/describe_assignment.hpp"

#include <hbm/explain/json_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/allocation.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"

namespace hbm::imported::xla {

std::string number_json(const std::optional<std::uint64_t>& number) {
    return number ? std::to_string(*number) : "null";
}

std::string spaces_json(const std::map<std::uint32_t, rounded_size>& spaces) {
    json_writer json;
    json.begin_object();
    for (const auto& [color, size] : spaces) json.field(std::to_string(color), size.bytes);
    json.end_object();
    return json.text();
}

std::vector<described_leaf> described_arguments(const assignment& of) {
    std::vector<described_leaf> made;
    for (const allocation& each : of.allocations)
        if (each.parameter && each.color == hbm_color)
            made.push_back({.parameter = each.parameter,
                            .index = each.index,
                            .bytes = each.size.bytes,
                            .more = {{"aliased", each.is_live_out ? "true" : "false"}}});
    std::sort(made.begin(), made.end(), [](const described_leaf& left, const described_leaf& right) {
        return std::tie(left.parameter, left.index) < std::tie(right.parameter, right.index);
    });
    return made;
}

donation_question donation_question_of(const assignment& of) {
    donation_question made;
    std::map<std::pair<std::uint64_t, index_path>, std::size_t> names;
    for (const allocation& each : of.allocations) {
        if (!each.parameter || each.color != hbm_color) continue;
        names.emplace(std::pair{*each.parameter, each.index}, made.arguments.size());
        made.arguments.push_back({*each.parameter, each.index, each.size.bytes, {}, {}, 0, each.shape, {}});
    }
    for (const assigned_output& each : of.outputs) {
        if (of.allocations[each.allocation].color != hbm_color) continue;
        if (each.parameter)
            if (const auto argument = names.find({*each.parameter, each.parameter_index}); argument != names.end())
                made.aliases.push_back({made.outputs.size(), argument->second, true});
        made.outputs.push_back({0, each.index, each.bytes, {}, {}, 0, each.shape, {}});
    }
    return made;
}

description describe(const assignment& of) {
    const memory_classes sums = classify(of.allocations);
    const bool is_whole = of.has_all_allocations();
    const auto known = [&](const rounded_size& sum) { return is_whole ? std::optional{sum.bytes} : std::nullopt; };
    description made;
    made.kind = file_kind::assignment;
    made.argument_bytes = known(sums.argument);
    made.output_bytes = known(sums.output);
    made.alias_bytes = known(sums.alias);
    made.temp_bytes = known(sums.temporary);
    made.constant_bytes = known(sums.constant);
    made.peak_bytes = known(sums.peak);
    if (is_whole) made.arguments = described_arguments(of);
    if (of.has_all_outputs) {
        made.outputs.emplace();
        made.aliases.emplace();
        for (const assigned_output& each : of.outputs) {
            made.outputs->push_back({.parameter = {},
                                     .index = each.index,
                                     .bytes = each.bytes,
                                     .more = {{"parameter", number_json(each.parameter)}}});
            if (each.parameter)
                made.aliases->push_back({each.index, *each.parameter, each.parameter_index, "may-alias"});
        }
    }
    const auto whole = [&](std::uint64_t number) { return is_whole ? std::to_string(number) : std::string{"null"}; };
    made.more = {{"allocations", std::to_string(of.allocations.size())},
                 {"values", std::to_string(of.values.size())},
                 {"total_stated_bytes", number_json(of.used_bytes)},
                 {"total_sum_bytes", std::to_string(sums.all.bytes)},
                 {"output_table_bytes", of.has_all_outputs ? std::to_string(output_table_bytes(of)) : "null"},
                 {"thread_local_bytes", whole(sums.per_thread.bytes)},
                 {"code_bytes", "null"},
                 {"other_memory_bytes", spaces_json(sums.other_spaces)},
                 {"live_peak_unpadded_bytes", number_json(of.busiest_unpadded)},
                 {"live_peak_at", number_json(of.busiest_at)},
                 {"schedule_length", number_json(of.schedule_length)},
                 {"cut_line", of.cut_line == not_cut ? "null" : std::to_string(of.cut_line)}};
    if (is_whole && of.has_all_outputs) made.more.emplace_back("donation", donation_json(donation_question_of(of)));
    return made;
}

}  // namespace hbm::imported::xla
