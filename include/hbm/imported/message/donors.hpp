#pragma once

/// Which arguments of a program could be donated, told by what a file says of the program.

#include <hbm/imported/description.hpp>
#include <hbm/imported/wrapped.hpp>
#include <hbm/report/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hbm::imported {

/// An argument and an output of the same size that takes over nothing yet.
struct possible_donation {
    std::uint64_t parameter = 0;
    index_path index = {};   ///< inside the parameter
    index_path output = {};  ///< of the output
    std::uint64_t bytes = 0;

    friend bool operator==(const possible_donation&, const possible_donation&) = default;
};

namespace donors_detail {

inline constexpr std::uint64_t smallest = 4096;  // below, nobody gains anything

[[nodiscard]] inline std::string in_braces(const index_path& path) {
    std::string text = "{";
    for (const std::uint64_t each : path) text += (text.size() == 1 ? "" : ",") + std::to_string(each);
    return text + "}";
}

/// The leaves of at least `smallest` bytes that no alias names, largest first.
template <class IsAliased>
[[nodiscard]] std::vector<const described_leaf*> free_leaves(const std::vector<described_leaf>& all,
                                                             IsAliased is_aliased) {
    std::vector<const described_leaf*> leaves;
    for (const described_leaf& each : all)
        if (each.bytes && *each.bytes >= smallest && !is_aliased(each)) leaves.push_back(&each);
    std::stable_sort(leaves.begin(), leaves.end(),
                     [](const described_leaf* a, const described_leaf* b) { return *a->bytes > *b->bytes; });
    return leaves;
}

}  // namespace donors_detail

/// Pairs arguments and outputs of the same size of which neither takes part in an alias; largest first. That the
/// program no longer needs such an argument is for its author to know. O(n log n), n leaves, and O(n) for each alias.
[[nodiscard]] inline std::vector<possible_donation> possible_donations(const description& program) {
    std::vector<possible_donation> all;
    if (!program.arguments || !program.outputs) return all;
    const std::vector<described_alias> none;
    const std::vector<described_alias>& aliases = program.aliases ? *program.aliases : none;
    const auto arguments = donors_detail::free_leaves(*program.arguments, [&](const described_leaf& leaf) {
        return std::any_of(aliases.begin(), aliases.end(), [&](const described_alias& each) {
            return each.parameter == leaf.parameter && each.index == leaf.index;
        });
    });
    const auto outputs = donors_detail::free_leaves(*program.outputs, [&](const described_leaf& leaf) {
        return std::any_of(aliases.begin(), aliases.end(),
                           [&](const described_alias& each) { return each.output == leaf.index; });
    });
    for (std::size_t argument = 0, output = 0; argument < arguments.size() && output < outputs.size();) {
        const std::uint64_t given = *arguments[argument]->bytes;
        const std::uint64_t taken = *outputs[output]->bytes;
        if (given == taken)
            all.push_back({arguments[argument]->parameter.value_or(0), arguments[argument]->index,
                           outputs[output]->index, given});
        if (given >= taken) ++argument;
        if (given <= taken) ++output;
    }
    return all;
}

/// The same in words, for a program described in `file`: the sum, and the five largest. Ends with a newline.
[[nodiscard]] inline std::string donations_in_words(const description& program, const std::string& file) {
    constexpr std::size_t most = 5;
    const std::string name = program.name ? "program '" + *program.name + "'" : "the program";
    if (!program.arguments || !program.outputs)
        return wrapped(file + " does not list the arguments and outputs of " + name +
                       ": bring its HLO module for that.");
    const std::vector<possible_donation> all = possible_donations(program);
    if (all.empty())
        return wrapped("Donation would not help " + name + " (" + file +
                       "): no output that takes over nothing has the size of an argument that is not donated.");
    std::uint64_t bytes = 0;
    for (const possible_donation& each : all) bytes = saturating_add(bytes, each.bytes);
    std::string text =
        wrapped("Arguments of " + name + " that could be donated (" + file + "): " + std::to_string(all.size()) +
                " of " + size_in_words(bytes) +
                " in all have an output of their size that takes over nothing. Donate those that are not "
                "needed afterwards:");
    for (std::size_t at = 0; at < all.size() && at < most; ++at)
        text += wrapped("parameter " + std::to_string(all[at].parameter) + " " +
                            donors_detail::in_braces(all[at].index) + ", " + size_in_words(all[at].bytes) +
                            ", for output " + donors_detail::in_braces(all[at].output),
                        "  ");
    if (all.size() > most) text += "  and " + std::to_string(all.size() - most) + " more\n";
    return text;
}

}  // namespace hbm::imported
