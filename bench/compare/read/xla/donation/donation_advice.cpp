#include "compare/read/xla/donation/donation_advice.hpp"

#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace hbm::imported {

namespace {

/// Returns the element type and dimensions of a printed shape, without its layout.
std::string_view dimensions_of(const donation_array& array) noexcept {
    return std::string_view(array.shape).substr(0, array.shape.find('{'));
}

/// Pairs arguments with outputs, each in the order of its list, and removes them from the lists. Pairs have the same
/// size and memory, and with `same_shape` the same shape.
/// Cost: O(n log n).
void match(const donation_question& source, std::vector<std::size_t>& arguments, std::vector<std::size_t>& outputs,
           bool same_shape, std::vector<donation_pair>& target) {
    const auto key = [&](const donation_array& array) {
        return std::tuple(array.bytes, array.memory_space, same_shape ? dimensions_of(array) : std::string_view{});
    };
    const auto sort = [&](std::vector<std::size_t>& which, const std::vector<donation_array>& all) {
        std::sort(which.begin(), which.end(), [&](std::size_t left, std::size_t right) {
            const auto one = key(all[left]);
            const auto other = key(all[right]);
            return one != other ? one < other : left < right;
        });
    };
    sort(arguments, source.arguments);
    sort(outputs, source.outputs);
    std::vector<std::size_t> arguments_left;
    std::vector<std::size_t> outputs_left;
    std::size_t argument = 0;
    std::size_t output = 0;
    while (argument < arguments.size() && output < outputs.size()) {
        const auto one = key(source.arguments[arguments[argument]]);
        const auto other = key(source.outputs[outputs[output]]);
        if (one == other)
            target.push_back({outputs[output++], arguments[argument++], same_shape});
        else if (one < other)
            arguments_left.push_back(arguments[argument++]);
        else
            outputs_left.push_back(outputs[output++]);
    }
    while (argument < arguments.size()) arguments_left.push_back(arguments[argument++]);
    while (output < outputs.size()) outputs_left.push_back(outputs[output++]);
    arguments = std::move(arguments_left);
    outputs = std::move(outputs_left);
}

/// Pairs arrays of the same shape first, then those of the same size.
void match(const donation_question& source, std::vector<std::size_t>& arguments, std::vector<std::size_t>& outputs,
           std::vector<donation_pair>& target) {
    match(source, arguments, outputs, true, target);
    match(source, arguments, outputs, false, target);
}

}  // namespace

donation_advice advise_donation(const donation_question& source) {
    std::vector<bool> is_taken(source.arguments.size(), false);
    std::vector<bool> takes(source.outputs.size(), false);
    for (const donation_pair& entry : source.aliases) is_taken[entry.argument] = takes[entry.output] = true;
    for (const std::size_t entry : source.donors) is_taken[entry] = true;
    std::vector<std::size_t> arguments;
    std::vector<std::size_t> outputs;
    for (std::size_t at = 0; at < source.arguments.size(); ++at)
        if (!is_taken[at] && source.arguments[at].bytes != 0) arguments.push_back(at);
    for (std::size_t at = 0; at < source.outputs.size(); ++at)
        if (!takes[at] && source.outputs[at].bytes != 0) outputs.push_back(at);

    // Donors have no partner yet, but will have: their outputs are not free for others.
    std::vector<std::size_t> donors;
    for (const std::size_t entry : source.donors)
        if (source.arguments[entry].bytes != 0) donors.push_back(entry);
    std::vector<donation_pair> already;
    match(source, donors, outputs, already);
    std::sort(donors.begin(), donors.end());
    using size_and_space = std::pair<std::uint64_t, std::uint64_t>;
    const auto size_of = [](const donation_array& entry) { return size_and_space(entry.bytes, entry.memory_space); };
    std::vector<size_and_space> sizes;
    for (const std::size_t entry : arguments) sizes.push_back(size_of(source.arguments[entry]));
    std::sort(sizes.begin(), sizes.end());

    donation_advice advice;
    advice.donated_in_vain = std::move(donors);
    match(source, arguments, outputs, advice.pairs);
    std::sort(advice.pairs.begin(), advice.pairs.end(), [&](const donation_pair& left, const donation_pair& right) {
        const std::uint64_t one = source.outputs[left.output].bytes;
        const std::uint64_t other = source.outputs[right.output].bytes;
        return one != other ? one > other : left.output < right.output;
    });
    if (source.devices > 1) advice.saved_share_bytes = 0;
    for (const donation_pair& entry : advice.pairs) {
        const donation_array& output = source.outputs[entry.output];
        const auto [first, last] = std::equal_range(sizes.begin(), sizes.end(), size_of(output));
        advice.alternatives.push_back(static_cast<std::size_t>(last - first));
        if (output.memory_space != 0) continue;
        advice.saved_bytes = saturating_add(advice.saved_bytes, output.bytes);
        const std::optional<std::uint64_t>& share = source.arguments[entry.argument].share_bytes;
        if (advice.saved_share_bytes && share)
            *advice.saved_share_bytes = saturating_add(*advice.saved_share_bytes, *share);
        else
            advice.saved_share_bytes.reset();
    }
    return advice;
}

donation_question follow(donation_question program, const donation_advice& advice) {
    program.aliases.insert(program.aliases.end(), advice.pairs.begin(), advice.pairs.end());
    return program;
}

std::uint64_t held_bytes(const donation_question& program) noexcept {
    std::uint64_t bytes = 0;
    for (const donation_array& entry : program.arguments) bytes += entry.memory_space == 0 ? entry.bytes : 0;
    for (const donation_array& entry : program.outputs) bytes += entry.memory_space == 0 ? entry.bytes : 0;
    for (const donation_pair& entry : program.aliases) {
        const donation_array& output = program.outputs[entry.output];
        bytes -= output.memory_space == 0 ? output.bytes : 0;
    }
    return bytes;
}

padding_waste find_padding(const donation_question& source) {
    std::vector<bool> takes(source.outputs.size(), false);
    for (const donation_pair& entry : source.aliases) takes[entry.output] = true;
    std::vector<const donation_array*> all;
    const auto add = [&](const donation_array& entry) {
        if (entry.memory_space == 0 && entry.unpadded_bytes && entry.bytes > *entry.unpadded_bytes)
            all.push_back(&entry);
    };
    for (const donation_array& entry : source.arguments) add(entry);
    for (std::size_t at = 0; at < source.outputs.size(); ++at)
        if (!takes[at]) add(source.outputs[at]);
    std::sort(all.begin(), all.end(), [](const donation_array* left, const donation_array* right) {
        return std::tie(left->shape, left->bytes, *left->unpadded_bytes) <
               std::tie(right->shape, right->bytes, *right->unpadded_bytes);
    });
    padding_waste match;
    for (const donation_array* entry : all) {
        const bool is_next = match.groups.empty() || match.groups.back().shape != entry->shape ||
                             match.groups.back().bytes != entry->bytes ||
                             match.groups.back().unpadded_bytes != *entry->unpadded_bytes;
        if (is_next) match.groups.push_back({entry->shape, 0, entry->bytes, *entry->unpadded_bytes});
        ++match.groups.back().count;
        match.bytes += entry->bytes - *entry->unpadded_bytes;
    }
    std::sort(match.groups.begin(), match.groups.end(), [](const padded_group& left, const padded_group& right) {
        return left.waste() != right.waste() ? left.waste() > right.waste()
                                             : std::tie(left.shape, left.bytes) < std::tie(right.shape, right.bytes);
    });
    return match;
}

}  // namespace hbm::imported
