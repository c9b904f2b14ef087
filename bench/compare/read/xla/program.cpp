#include "compare/read/xla/program.hpp"

#include <hbm/core/bytes.hpp>

#include <map>
#include <utility>

namespace hbm::imported {

program_sums sums_of(const imported_program& subject) {
    program_sums sums;
    const auto count_padding = [&](const rounded_size& size, const std::optional<std::uint64_t>& unpadded) {
        if (unpadded && size.is_exact() && size.bytes > *unpadded)
            sums.padding = saturating_add(sums.padding, size.bytes - *unpadded);
    };
    for (const program_argument& entry : subject.arguments) {
        sums.arguments = sum(sums.arguments, entry.size);
        count_padding(entry.size, entry.unpadded_bytes);
    }
    sums.need = sums.arguments;
    for (const program_output& output : subject.outputs) {
        sums.outputs = sum(sums.outputs, output.size);
        if (output.argument) {
            sums.aliases = sum(sums.aliases, output.size);
        } else {
            sums.need = sum(sums.need, output.size);
            count_padding(output.size, output.unpadded_bytes);
        }
    }
    for (const std::optional<rounded_size>& entry : {subject.temporary, subject.constant, subject.code})
        if (entry) sums.need = sum(sums.need, *entry);
    return sums;
}

std::vector<step_pair> pair_steps(const imported_program& subject, donation_choice donation) {
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

    // Pairs outputs with free arguments of the same size, and shape if it counts; the first ones first.
    const auto pair_equal = [&](const std::vector<std::size_t>& candidates, bool is_donated, bool has_shape) {
        const auto key_of = [&](const auto& entry) {
            return std::pair(entry.size.bytes, has_shape ? without_layouts(entry.shape) : std::string{});
        };
        std::map<std::pair<std::uint64_t, std::string>, std::vector<std::size_t>> free;
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
    std::vector<std::size_t> all(subject.arguments.size());
    for (std::size_t at = 0; at < all.size(); ++at) all[at] = at;
    pair_equal(subject.donors, true, false);
    pair_equal(all, false, true);
    pair_equal(all, false, false);
    return pairs;
}

}  // namespace hbm::imported
