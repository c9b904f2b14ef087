#include "compare/read/xla/assignment/assignment.hpp"

#include <hbm/core/bytes.hpp>

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
#include "compare/text/json_writer.hpp"

namespace hbm::imported::xla {

std::uint64_t output_table_bytes(const assignment& subject) {
    std::vector<bool> has_table(subject.allocations.size(), false);
    for (const buffer_value& entry : subject.values)
        if (entry.is_table()) has_table[entry.allocation] = true;
    for (const assigned_output& entry : subject.outputs) has_table[entry.allocation] = false;
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < subject.allocations.size(); ++at) {
        const allocation& entry = subject.allocations[at];
        const bool is_table = has_table[at] || (entry.has_result && entry.shape.starts_with('('));
        if (is_table && entry.is_live_out && !entry.parameter && entry.color == hbm_color)
            sum = saturating_add(sum, entry.size.bytes);
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
    for (const allocation& entry : all) {
        add_size(sums.all, entry.size);
        if (entry.color != hbm_color) {
            add_size(sums.other_spaces[entry.color], entry.size);
            continue;
        }
        if (entry.is_per_thread) {
            add_size(sums.per_thread, entry.size);
            continue;
        }
        add_size(sums.peak, entry.size);
        if (entry.parameter) add_size(sums.argument, entry.size);
        if (entry.is_live_out) add_size(sums.output, entry.size);
        if (entry.parameter && entry.is_live_out) add_size(sums.alias, entry.size);
        if (entry.is_temporary) add_size(sums.temporary, entry.size);
        if (entry.is_constant) add_size(sums.constant, entry.size);
    }
    return sums;
}

namespace {

/// No array has a longer shape, in bytes, with its layout.
constexpr std::size_t longest_array_shape = 1000;

/// Returns the value that is the result, or its table: the last of the allocation's values with the result's shape.
const buffer_value* find_result(const assignment& source, std::size_t holder) {
    const std::string shape = without_layouts(source.allocations[holder].shape);
    const buffer_value* match = nullptr;
    for (const buffer_value& entry : source.values)
        if (entry.allocation == holder && without_layouts(entry.shape) == shape) match = &entry;
    return match;
}

assigned_output output_of(const assignment& source, std::size_t holder, index_path index, std::uint64_t bytes,
                          std::string shape) {
    const allocation& at = source.allocations[holder];
    return {std::move(index), bytes, holder, at.parameter, at.index, std::move(shape)};
}

/// Returns the places of the result, by index. The result may be passed on under several names.
std::map<index_path, std::uint64_t> places_of_result(const buffer_value& result,
                                                     const std::vector<value_place>& places) {
    std::map<index_path, std::uint64_t> match;
    for (const value_place& entry : places)
        if (entry.name == result.name) match.emplace(entry.index, entry.value);
    return match;
}

}  // namespace

void find_outputs(assignment& source, const std::vector<value_place>& places) {
    const auto holder = std::find_if(source.allocations.begin(), source.allocations.end(),
                                     [](const allocation& entry) { return entry.has_result; });
    if (holder == source.allocations.end()) return;
    const auto at = static_cast<std::size_t>(holder - source.allocations.begin());
    const std::optional<std::vector<shape_leaf>> arrays = read_shape_leaves(holder->shape);
    if (!holder->shape.starts_with('(')) {
        // An allocation that holds a single array is as large as the array.
        source.outputs.push_back(output_of(source, at, {}, holder->size.bytes, holder->shape));
        source.has_all_outputs = true;
        return;
    }
    const buffer_value* const result = find_result(source, at);
    if (result == nullptr || !arrays) return;
    std::vector<std::pair<std::uint64_t, std::size_t>> by_id;
    for (std::size_t which = 0; which < source.values.size(); ++which)
        by_id.emplace_back(source.values[which].id, which);
    std::sort(by_id.begin(), by_id.end());
    const std::map<index_path, std::uint64_t> match = places_of_result(*result, places);
    for (const shape_leaf& entry : *arrays) {
        const auto place = match.find(entry.index);
        if (place == match.end()) continue;
        const auto known = std::lower_bound(by_id.begin(), by_id.end(), std::pair{place->second, std::size_t{0}});
        if (known == by_id.end() || known->first != place->second) continue;
        const buffer_value& value = source.values[known->second];
        if (value.shape.size() > longest_array_shape) continue;  // a tuple, which many outputs would copy
        source.outputs.push_back(output_of(source, value.allocation, entry.index, value.bytes, value.shape));
    }
    source.has_all_outputs = source.outputs.size() == arrays->size();
}

std::string spaces_json(const std::map<std::uint32_t, rounded_size>& spaces) {
    json_writer json;
    json.begin_object();
    for (const auto& [color, size] : spaces) json.field(std::to_string(color), size.bytes);
    json.end_object();
    return json.text();
}

std::vector<described_leaf> described_arguments(const assignment& subject) {
    std::vector<described_leaf> result;
    for (const allocation& entry : subject.allocations)
        if (entry.parameter && entry.color == hbm_color)
            result.push_back({.parameter = entry.parameter,
                              .index = entry.index,
                              .bytes = entry.size.bytes,
                              .more = {{"aliased", entry.is_live_out ? "true" : "false"}}});
    std::sort(result.begin(), result.end(), [](const described_leaf& left, const described_leaf& right) {
        return std::tie(left.parameter, left.index) < std::tie(right.parameter, right.index);
    });
    return result;
}

donation_question donation_question_of(const assignment& subject) {
    donation_question result;
    std::map<std::pair<std::uint64_t, index_path>, std::size_t> names;
    for (const allocation& entry : subject.allocations) {
        if (!entry.parameter || entry.color != hbm_color) continue;
        names.emplace(std::pair{*entry.parameter, entry.index}, result.arguments.size());
        result.arguments.push_back({*entry.parameter, entry.index, entry.size.bytes, {}, {}, 0, entry.shape, {}});
    }
    for (const assigned_output& entry : subject.outputs) {
        if (subject.allocations[entry.allocation].color != hbm_color) continue;
        if (entry.parameter)
            if (const auto argument = names.find({*entry.parameter, entry.parameter_index}); argument != names.end())
                result.aliases.push_back({result.outputs.size(), argument->second, true});
        result.outputs.push_back({0, entry.index, entry.bytes, {}, {}, 0, entry.shape, {}});
    }
    return result;
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

description describe(const assignment& subject) {
    const memory_classes sums = classify(subject.allocations);
    const bool is_whole = subject.has_all_allocations();
    description result = described_sums(file_kind::assignment, sums, is_whole);
    if (is_whole) result.arguments = described_arguments(subject);
    if (subject.has_all_outputs) {
        result.outputs.emplace();
        result.aliases.emplace();
        for (const assigned_output& entry : subject.outputs) {
            result.outputs->push_back({.parameter = {},
                                       .index = entry.index,
                                       .bytes = entry.bytes,
                                       .more = {{"parameter", number_json(entry.parameter)}}});
            if (entry.parameter)
                result.aliases->push_back({entry.index, *entry.parameter, entry.parameter_index, "may-alias"});
        }
    }
    const auto whole = [&](std::uint64_t number) { return is_whole ? std::to_string(number) : std::string{"null"}; };
    result.more = {
        {"allocations", std::to_string(subject.allocations.size())},
        {"values", std::to_string(subject.values.size())},
        {"total_stated_bytes", number_json(subject.used_bytes)},
        {"total_sum_bytes", std::to_string(sums.all.bytes)},
        {"output_table_bytes", subject.has_all_outputs ? std::to_string(output_table_bytes(subject)) : "null"},
        {"thread_local_bytes", whole(sums.per_thread.bytes)},
        {"code_bytes", "null"},
        {"other_memory_bytes", spaces_json(sums.other_spaces)},
        {"live_peak_unpadded_bytes", number_json(subject.busiest_unpadded)},
        {"live_peak_at", number_json(subject.busiest_at)},
        {"schedule_length", number_json(subject.schedule_length)},
        {"cut_line", subject.cut_line == not_cut ? "null" : std::to_string(subject.cut_line)}};
    if (is_whole && subject.has_all_outputs)
        result.more.emplace_back("donation", donation_json(donation_question_of(subject)));
    return result;
}

}  // namespace hbm::imported::xla
