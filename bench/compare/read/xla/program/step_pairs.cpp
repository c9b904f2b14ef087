#include "compare/read/xla/program/step_pairs.hpp"

#include <map>
#include <string>
#include <utility>

#include "compare/read/xla/shape_text.hpp"

namespace hbm::imported {

std::vector<step_pair> pair_steps(const xla::imported_program& of, donation_choice donation) {
    std::vector<step_pair> pairs(of.outputs.size());
    std::vector<bool> is_taken(of.arguments.size(), false);
    const auto pair_up = [&](std::size_t output, std::size_t argument, bool is_donated) {
        is_taken[argument] = true;
        pairs[output] = {argument,
                         donation == donation_choice::all || (donation == donation_choice::as_is && is_donated)};
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
