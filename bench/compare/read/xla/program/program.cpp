#include "compare/read/xla/program/program.hpp"

#include <hbm/core/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "compare/read/description.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/shape.hpp"

namespace hbm::imported::xla {

program_sums sums_of(const imported_program& of) {
    program_sums sums;
    const auto count_padding = [&](const rounded_size& size, const std::optional<std::uint64_t>& unpadded) {
        if (unpadded && size.is_exact() && size.bytes > *unpadded)
            sums.padding = saturating_add(sums.padding, size.bytes - *unpadded);
    };
    for (const program_argument& each : of.arguments) {
        add_size(sums.arguments, each.size);
        count_padding(each.size, each.unpadded_bytes);
    }
    sums.need = sums.arguments;
    for (const program_output& each : of.outputs) {
        add_size(sums.outputs, each.size);
        if (each.argument) {
            add_size(sums.aliases, each.size);
        } else {
            add_size(sums.need, each.size);
            count_padding(each.size, each.unpadded_bytes);
        }
    }
    for (const std::optional<rounded_size>* each : {&of.temporary, &of.constant, &of.code})
        if (*each) add_size(sums.need, **each);
    return sums;
}

void add_labels(const program_files& from, imported_program& into) {
    std::map<std::pair<std::uint64_t, index_path>, std::size_t> names;
    for (std::size_t at = 0; at < into.arguments.size(); ++at)
        names.emplace(std::pair{into.arguments[at].parameter, into.arguments[at].index}, at);
    for (const auto* module : {&from.module, &from.unoptimized}) {
        if (!*module) continue;
        for (const program_array& each : (*module)->value.arguments) {
            const auto at = names.find({each.parameter, each.index});
            if (at != names.end() && into.arguments[at->second].label.empty())
                into.arguments[at->second].label = each.label;
        }
    }
}

void name_donation_file(const program_files& from, imported_program& into) {
    if (from.module)
        into.donation_file = from.module->file;
    else if (from.has_assignment() && from.assignment->value.has_all_outputs)
        into.donation_file = from.assignment->file;
}

}  // namespace hbm::imported::xla

namespace hbm::imported {

std::vector<step_pair> pair_steps(const xla::imported_program& of, donation_choice donation) {
    std::vector<step_pair> pairs(of.outputs.size());
    std::vector<bool> is_taken(of.arguments.size(), false);
    const auto pair_up = [&](std::size_t output, std::size_t argument, bool is_donated) {
        is_taken[argument] = true;
        pairs[output] = {argument,
                         donation == donation_choice::all || (donation != donation_choice::none && is_donated)};
    };
    for (std::size_t at = 0; at < of.outputs.size(); ++at)
        if (const auto argument = of.outputs[at].argument; argument && !is_taken[*argument])
            pair_up(at, *argument, true);

    using key = std::pair<std::uint64_t, std::string>;
    // By key, positions of free arguments in descending order.
    const auto pair_equal = [&](const std::vector<std::size_t>& candidates, bool is_donated, const auto& key_of) {
        std::map<key, std::vector<std::size_t>> free;
        for (std::size_t at = candidates.size(); at != 0; --at)
            if (const std::size_t each = candidates[at - 1]; !is_taken[each])
                free[key_of(of.arguments[each])].push_back(each);
        for (std::size_t at = 0; at < of.outputs.size(); ++at) {
            if (pairs[at].argument) continue;
            const auto found = free.find(key_of(of.outputs[at]));
            if (found == free.end() || found->second.empty()) continue;
            pair_up(at, found->second.back(), is_donated);
            found->second.pop_back();
        }
    };
    const auto by_size = [](const auto& each) { return key{each.size.bytes, {}}; };
    const auto by_shape = [](const auto& each) { return key{each.size.bytes, xla::without_layouts(each.shape)}; };
    std::vector<std::size_t> all(of.arguments.size());
    for (std::size_t at = 0; at < all.size(); ++at) all[at] = at;
    pair_equal(of.donors, true, by_size);
    pair_equal(all, false, by_shape);
    pair_equal(all, false, by_size);
    return pairs;
}

}  // namespace hbm::imported
