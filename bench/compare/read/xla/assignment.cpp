#include "compare/read/xla/assignment.hpp"

#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace hbm::imported {

namespace {

/// Returns the bytes of the tables of tuples among the outputs: in `memory_classes::output`, but in no array.
/// Cost: O(values).
std::uint64_t output_table_bytes(const assignment& subject) {
    std::vector<bool> has_table(subject.allocations.size(), false);
    for (const buffer_value& entry : subject.values)
        if (entry.shape.starts_with('(')) has_table[entry.allocation] = true;
    for (const assigned_output& entry : subject.outputs) has_table[entry.allocation] = false;
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < subject.allocations.size(); ++at) {
        const allocation& entry = subject.allocations[at];
        if ((has_table[at] || entry.is_result_table()) && entry.is_live_out && !entry.parameter && entry.in_hbm())
            sum = saturating_add(sum, entry.bytes);
    }
    return sum;
}

}  // namespace

memory_classes classify(const std::vector<allocation>& all) {
    memory_classes sums;
    for (const allocation& entry : all) {
        const auto add = [&](std::uint64_t& sum) { sum = saturating_add(sum, entry.bytes); };
        add(sums.all);
        if (!entry.in_hbm()) {
            add(sums.other_spaces[entry.color]);
            continue;
        }
        if (entry.is_per_thread) {
            add(sums.per_thread);
            continue;
        }
        add(sums.peak);
        if (entry.parameter) add(sums.argument);
        if (entry.is_live_out) add(sums.output);
        if (entry.parameter && entry.is_live_out) add(sums.alias);
        if (entry.is_temporary) add(sums.temporary);
        if (entry.is_constant) add(sums.constant);
    }
    return sums;
}

donation_question donation_question_of(const assignment& subject) {
    donation_question result;
    std::map<std::pair<std::uint64_t, index_path>, std::size_t> names;
    for (const allocation& entry : subject.allocations) {
        if (!entry.parameter || !entry.in_hbm()) continue;
        names.emplace(std::pair{*entry.parameter, entry.index}, result.arguments.size());
        result.arguments.push_back({*entry.parameter, entry.index, entry.bytes, {}, {}, 0, entry.shape, {}});
    }
    for (const assigned_output& entry : subject.outputs) {
        if (!subject.allocations[entry.allocation].in_hbm()) continue;
        if (entry.parameter)
            if (const auto argument = names.find({*entry.parameter, entry.parameter_index}); argument != names.end())
                result.aliases.push_back({result.outputs.size(), argument->second, true});
        result.outputs.push_back({0, entry.index, entry.bytes, {}, {}, 0, entry.shape, {}});
    }
    return result;
}

namespace {

/// Returns the parameters of a program, by number and index.
described::list arguments_of(const assignment& subject) {
    std::vector<const allocation*> parameters;
    for (const allocation& entry : subject.allocations)
        if (entry.parameter && entry.in_hbm()) parameters.push_back(&entry);
    std::sort(parameters.begin(), parameters.end(), [](const allocation* left, const allocation* right) {
        return std::tie(left->parameter, left->index) < std::tie(right->parameter, right->index);
    });
    described::list rows;
    for (const allocation* const entry : parameters)
        rows.push_back(described::fields{{"parameter", entry->parameter},
                                         {"index", entry->index},
                                         {"bytes", entry->bytes},
                                         {"aliased", entry->is_live_out}});
    return rows;
}

}  // namespace

description describe(const assignment& subject) {
    const memory_classes sums = classify(subject.allocations);
    const bool is_whole = subject.has_all_allocations();
    const auto known = [&](std::uint64_t sum) { return is_whole ? described(sum) : described(); };
    description result{file_kind::assignment};
    result.argument_bytes = known(sums.argument);
    result.output_bytes = known(sums.output);
    result.alias_bytes = known(sums.alias);
    result.temp_bytes = known(sums.temporary);
    result.constant_bytes = known(sums.constant);
    result.peak_bytes = known(sums.peak);
    if (is_whole) result.arguments = arguments_of(subject);
    if (subject.has_all_outputs) {
        described::list outputs;
        described::list aliases;
        for (const assigned_output& entry : subject.outputs) {
            outputs.push_back(
                described::fields{{"index", entry.index}, {"bytes", entry.bytes}, {"parameter", entry.parameter}});
            if (entry.parameter)
                aliases.push_back(described::fields{{"output", entry.index},
                                                    {"parameter", entry.parameter},
                                                    {"index", entry.parameter_index},
                                                    {"kind", "may-alias"}});
        }
        result.outputs = std::move(outputs);
        result.aliases = std::move(aliases);
    }
    described::fields spaces;
    for (const auto& [color, bytes] : sums.other_spaces) spaces.emplace_back(std::to_string(color), bytes);
    result.more = {
        {"allocations", subject.allocations.size()},
        {"values", subject.values.size()},
        {"total_stated_bytes", subject.used_bytes},
        {"total_sum_bytes", sums.all},
        {"output_table_bytes", subject.has_all_outputs ? described(output_table_bytes(subject)) : described()},
        {"thread_local_bytes", known(sums.per_thread)},
        {"code_bytes", {}},
        {"other_memory_bytes", std::move(spaces)},
        {"live_peak_unpadded_bytes", subject.busiest_unpadded},
        {"live_peak_at", subject.busiest_at},
        {"schedule_length", subject.schedule_length},
        {"cut_line", subject.cut_line == not_cut ? described() : described(subject.cut_line)}};
    if (is_whole && subject.has_all_outputs)
        result.more.emplace_back("donation", describe(donation_question_of(subject)));
    return result;
}

}  // namespace hbm::imported
