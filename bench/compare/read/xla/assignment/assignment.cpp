#include "compare/read/xla/assignment/assignment.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/json_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/allocation.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/read/xla/shape.hpp"

namespace hbm::imported::xla {

std::uint64_t output_table_bytes(const assignment& of) {
    std::vector<bool> has_table(of.allocations.size(), false);
    for (const buffer_value& each : of.values)
        if (each.is_table()) has_table[each.allocation] = true;
    for (const assigned_output& each : of.outputs) has_table[each.allocation] = false;
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < of.allocations.size(); ++at) {
        const allocation& each = of.allocations[at];
        const bool is_table = has_table[at] || (each.has_result && each.shape.starts_with('('));
        if (is_table && each.is_live_out && !each.parameter && each.color == hbm_color)
            sum = saturating_add(sum, each.size.bytes);
    }
    return sum;
}

void add_size(rounded_size& sum, const rounded_size& more) noexcept {
    sum.bytes = saturating_add(sum.bytes, more.bytes);
    sum.low = saturating_add(sum.low, more.low);
    sum.high = saturating_add(sum.high, more.high);
}

memory_classes classify(std::span<const allocation> all) {
    memory_classes sums;
    for (const allocation& each : all) {
        add_size(sums.all, each.size);
        if (each.color != hbm_color) {
            add_size(sums.other_spaces[each.color], each.size);
            continue;
        }
        if (each.is_per_thread) {
            add_size(sums.per_thread, each.size);
            continue;
        }
        add_size(sums.peak, each.size);
        if (each.parameter) add_size(sums.argument, each.size);
        if (each.is_live_out) add_size(sums.output, each.size);
        if (each.parameter && each.is_live_out) add_size(sums.alias, each.size);
        if (each.is_temporary) add_size(sums.temporary, each.size);
        if (each.is_constant) add_size(sums.constant, each.size);
    }
    return sums;
}

namespace {

/// Returns the value that is the result, or its table: the last of the allocation's values with the result's shape.
const buffer_value* find_result(const assignment& in, std::size_t holder) {
    const std::string shape = without_layouts(in.allocations[holder].shape);
    const buffer_value* found = nullptr;
    for (const buffer_value& each : in.values)
        if (each.allocation == holder && without_layouts(each.shape) == shape) found = &each;
    return found;
}

assigned_output output_of(const assignment& in, std::size_t holder, index_path index, std::uint64_t bytes,
                          std::string shape) {
    const allocation& at = in.allocations[holder];
    return {std::move(index), bytes, holder, at.parameter, at.index, std::move(shape)};
}

/// Returns the places of the result, by index. The result may be passed on under several names.
std::map<index_path, std::uint64_t> places_of_result(const buffer_value& result,
                                                     const std::vector<value_place>& places) {
    std::map<index_path, std::uint64_t> found;
    for (const value_place& each : places)
        if (each.name == result.name) found.emplace(each.index, each.value);
    return found;
}

}  // namespace

void find_outputs(assignment& in, const std::vector<value_place>& places) {
    const auto holder = std::find_if(in.allocations.begin(), in.allocations.end(),
                                     [](const allocation& each) { return each.has_result; });
    if (holder == in.allocations.end()) return;
    const auto at = static_cast<std::size_t>(holder - in.allocations.begin());
    const std::optional<std::vector<shape_leaf>> arrays = read_shape_leaves(holder->shape);
    if (!holder->shape.starts_with('(')) {
        // An allocation that holds a single array is as large as the array.
        in.outputs.push_back(output_of(in, at, {}, holder->size.bytes, holder->shape));
        in.has_all_outputs = true;
        return;
    }
    const buffer_value* const result = find_result(in, at);
    if (result == nullptr || !arrays) return;
    std::vector<std::pair<std::uint64_t, std::size_t>> by_id;
    for (std::size_t which = 0; which < in.values.size(); ++which) by_id.emplace_back(in.values[which].id, which);
    std::sort(by_id.begin(), by_id.end());
    const std::map<index_path, std::uint64_t> found = places_of_result(*result, places);
    for (const shape_leaf& each : *arrays) {
        const auto place = found.find(each.index);
        if (place == found.end()) continue;
        const auto known = std::lower_bound(by_id.begin(), by_id.end(), std::pair{place->second, std::size_t{0}});
        if (known == by_id.end() || known->first != place->second) continue;
        const buffer_value& value = in.values[known->second];
        in.outputs.push_back(output_of(in, value.allocation, each.index, value.bytes, value.shape));
    }
    in.has_all_outputs = in.outputs.size() == arrays->size();
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

description described_sums(file_kind kind, const memory_classes& sums, bool is_whole) {
    const auto known = [&](const rounded_size& sum) { return is_whole ? std::optional{sum.bytes} : std::nullopt; };
    description result;
    result.kind = kind;
    result.argument_bytes = known(sums.argument);
    result.output_bytes = known(sums.output);
    result.alias_bytes = known(sums.alias);
    result.temp_bytes = known(sums.temporary);
    result.constant_bytes = known(sums.constant);
    result.peak_bytes = known(sums.peak);
    return result;
}

description describe(const assignment& of) {
    const memory_classes sums = classify(of.allocations);
    const bool is_whole = of.has_all_allocations();
    description made = described_sums(file_kind::assignment, sums, is_whole);
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
