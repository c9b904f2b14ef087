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

program_sums sums_of(const imported_program& subject) {
    program_sums sums;
    const auto count_padding = [&](const rounded_size& size, const std::optional<std::uint64_t>& unpadded) {
        if (unpadded && size.is_exact() && size.bytes > *unpadded)
            sums.padding = saturating_add(sums.padding, size.bytes - *unpadded);
    };
    for (const program_argument& entry : subject.arguments) {
        add_size(sums.arguments, entry.size);
        count_padding(entry.size, entry.unpadded_bytes);
    }
    sums.need = sums.arguments;
    for (const program_output& output : subject.outputs) {
        add_size(sums.outputs, output.size);
        if (output.argument) {
            add_size(sums.aliases, output.size);
        } else {
            add_size(sums.need, output.size);
            count_padding(output.size, output.unpadded_bytes);
        }
    }
    for (const std::optional<rounded_size>* entry : {&subject.temporary, &subject.constant, &subject.code})
        if (*entry) add_size(sums.need, **entry);
    return sums;
}

void add_labels(const program_files& from, imported_program& target) {
    std::map<std::pair<std::uint64_t, index_path>, std::size_t> names;
    for (std::size_t at = 0; at < target.arguments.size(); ++at)
        names.emplace(std::pair{target.arguments[at].parameter, target.arguments[at].index}, at);
    for (const auto* module : {&from.module, &from.unoptimized}) {
        if (!*module) continue;
        for (const program_array& entry : (*module)->value.arguments) {
            const auto at = names.find({entry.parameter, entry.index});
            if (at != names.end() && target.arguments[at->second].label.empty())
                target.arguments[at->second].label = entry.label;
        }
    }
}

void name_donation_file(const program_files& from, imported_program& target) {
    if (from.module)
        target.donation_file = from.module->file;
    else if (from.has_assignment() && from.assignment->value.has_all_outputs)
        target.donation_file = from.assignment->file;
}

}  // namespace hbm::imported::xla

namespace hbm::imported {

std::vector<step_pair> pair_steps(const xla::imported_program& subject, donation_choice donation) {
    std::vector<step_pair> pairs(subject.outputs.size());
    std::vector<bool> is_taken(subject.arguments.size(), false);
    const auto pair_up = [&](std::size_t output, std::size_t argument, bool is_donated) {
        is_taken[argument] = true;
        pairs[output] = {argument,
                         donation == donation_choice::all || (donation != donation_choice::none && is_donated)};
    };
    for (std::size_t at = 0; at < subject.outputs.size(); ++at)
        if (const auto argument = subject.outputs[at].argument; argument && !is_taken[*argument])
            pair_up(at, *argument, true);

    using key = std::pair<std::uint64_t, std::string>;
    // By key, positions of free arguments in descending order.
    const auto pair_equal = [&](const std::vector<std::size_t>& candidates, bool is_donated, const auto& key_of) {
        std::map<key, std::vector<std::size_t>> free;
        for (std::size_t at = candidates.size(); at != 0; --at)
            if (const std::size_t entry = candidates[at - 1]; !is_taken[entry])
                free[key_of(subject.arguments[entry])].push_back(entry);
        for (std::size_t at = 0; at < subject.outputs.size(); ++at) {
            if (pairs[at].argument) continue;
            const auto match = free.find(key_of(subject.outputs[at]));
            if (match == free.end() || match->second.empty()) continue;
            pair_up(at, match->second.back(), is_donated);
            match->second.pop_back();
        }
    };
    const auto by_size = [](const auto& entry) { return key{entry.size.bytes, {}}; };
    const auto by_shape = [](const auto& entry) { return key{entry.size.bytes, xla::without_layouts(entry.shape)}; };
    std::vector<std::size_t> all(subject.arguments.size());
    for (std::size_t at = 0; at < all.size(); ++at) all[at] = at;
    pair_equal(subject.donors, true, by_size);
    pair_equal(all, false, by_shape);
    pair_equal(all, false, by_size);
    return pairs;
}

}  // namespace hbm::imported
