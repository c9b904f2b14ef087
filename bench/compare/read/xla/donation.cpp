#include "compare/read/xla/donation.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace hbm::imported {

namespace {

/// Pairs arguments with outputs of the same size and memory, each in the order of its list, and removes them from the
/// lists; with `same_shape` of the same element type and dimensions. Cost: O(n log n).
void match(const donation_question& source, std::vector<std::size_t>& arguments, std::vector<std::size_t>& outputs,
           bool same_shape, std::vector<donation_pair>& target) {
    const auto key = [&](const donation_array& array) {
        const std::string_view shape = same_shape ? std::string_view(array.shape) : std::string_view{};
        return std::tuple(array.bytes, array.memory_space, shape.substr(0, shape.find('{')));
    };
    std::map<decltype(key({})), std::vector<std::size_t>> free;  // arguments by key, the first one last
    std::sort(arguments.begin(), arguments.end());
    std::sort(outputs.begin(), outputs.end());
    for (std::size_t at = arguments.size(); at != 0; --at)
        free[key(source.arguments[arguments[at - 1]])].push_back(arguments[at - 1]);
    std::erase_if(outputs, [&](std::size_t output) {
        const auto found = free.find(key(source.outputs[output]));
        if (found == free.end() || found->second.empty()) return false;
        target.push_back({output, found->second.back(), same_shape});
        found->second.pop_back();
        return true;
    });
    arguments.clear();
    for (const auto& [which, rest] : free) arguments.insert(arguments.end(), rest.begin(), rest.end());
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
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> count_of;  // arguments by size and memory
    const auto size_of = [](const donation_array& entry) { return std::pair(entry.bytes, entry.memory_space); };
    for (std::size_t at = 0; at < source.arguments.size(); ++at) {
        if (is_taken[at] || source.arguments[at].bytes == 0) continue;
        arguments.push_back(at);
        ++count_of[size_of(source.arguments[at])];
    }
    for (std::size_t at = 0; at < source.outputs.size(); ++at)
        if (!takes[at] && source.outputs[at].bytes != 0) outputs.push_back(at);

    // Donors have no partner yet, but will have: their outputs are not free for others.
    std::vector<std::size_t> donors;
    for (const std::size_t entry : source.donors)
        if (source.arguments[entry].bytes != 0) donors.push_back(entry);
    std::vector<donation_pair> already;
    match(source, donors, outputs, already);
    std::sort(donors.begin(), donors.end());

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
        advice.alternatives.push_back(count_of[size_of(output)]);
        if (output.memory_space != 0) continue;
        advice.saved_bytes = saturating_add(advice.saved_bytes, output.bytes);
        const std::optional<std::uint64_t>& share = source.arguments[entry.argument].share_bytes;
        if (advice.saved_share_bytes && share)
            advice.saved_share_bytes = saturating_add(*advice.saved_share_bytes, *share);
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

std::string alias_text(const donation_question& in, const std::vector<donation_pair>& pairs, std::size_t most) {
    std::vector<donation_pair> ordered = pairs;
    std::sort(ordered.begin(), ordered.end(),
              [](const donation_pair& left, const donation_pair& right) { return left.output < right.output; });
    std::string text;
    for (std::size_t at = 0; at < ordered.size() && at < most; ++at) {
        const donation_array& argument = in.arguments[ordered[at].argument];
        append_item(text, index_words(in.outputs[ordered[at].output].index) + ": (" +
                              trace::decimal(argument.parameter) + ", " + index_words(argument.index) + ", may-alias)");
    }
    return "input_output_alias={ " + text + (ordered.size() > most ? ", ... }" : " }");
}

namespace {

/// Arrays of the same shape that are padded.
struct padded_group {
    std::string_view shape;
    std::uint64_t bytes = 0;           ///< size of one of them on the device
    std::uint64_t unpadded_bytes = 0;  ///< size of its elements alone
    std::size_t count = 0;

    /// Returns the padding of all of them, in bytes.
    [[nodiscard]] std::uint64_t waste() const noexcept { return (bytes - unpadded_bytes) * count; }
};

/// Returns the padded arguments and outputs that do not take over an argument, in device memory, the most waste first.
/// Arrays of unknown unpadded size count as not padded. Cost: O(n log n).
std::vector<padded_group> find_padding(const donation_question& source) {
    std::vector<bool> takes(source.outputs.size(), false);
    for (const donation_pair& entry : source.aliases) takes[entry.output] = true;
    std::map<std::tuple<std::string_view, std::uint64_t, std::uint64_t>, std::size_t> counts;
    const auto add = [&](const donation_array& entry) {
        if (entry.memory_space == 0 && entry.unpadded_bytes && entry.bytes > *entry.unpadded_bytes)
            ++counts[{entry.shape, entry.bytes, *entry.unpadded_bytes}];
    };
    for (const donation_array& entry : source.arguments) add(entry);
    for (std::size_t at = 0; at < source.outputs.size(); ++at)
        if (!takes[at]) add(source.outputs[at]);
    std::vector<padded_group> groups;
    for (const auto& [key, count] : counts)
        groups.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
    std::stable_sort(groups.begin(), groups.end(),
                     [](const padded_group& left, const padded_group& right) { return left.waste() > right.waste(); });
    return groups;
}

std::uint64_t waste_of(const std::vector<padded_group>& groups) {
    std::uint64_t sum = 0;
    for (const padded_group& each : groups) sum += each.waste();
    return sum;
}

/// Limit on the groups of arrays that are printed.
constexpr std::size_t max_groups = 6;

/// Returns a size with its exact bytes: `264.56M (277,413,888 bytes)`.
std::string exact_size(std::uint64_t bytes) {
    const std::string size = size_in_words(bytes);
    return bytes < 1024 ? size : size + " (" + grouped_digits(bytes) + " bytes)";
}

std::string counted_digits(std::uint64_t count, const std::string& noun) {
    return trace::decimal(count) + ' ' + noun + (count == 1 ? "" : "s");
}

/// Returns the numbers of the arguments, each once.
std::vector<std::uint64_t> parameters(const donation_question& in, const std::vector<std::size_t>& arguments) {
    std::vector<std::uint64_t> numbers;
    for (const std::size_t each : arguments) numbers.push_back(in.arguments[each].parameter);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

/// Returns `argument 3` or `arguments 0-3, 5`.
std::string arguments_text(const std::vector<std::uint64_t>& numbers) {
    constexpr std::size_t most = 12;
    std::string text;
    std::size_t printed = 0;
    for (std::size_t at = 0; at < numbers.size() && printed <= most; ++printed) {
        std::size_t last = at;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        std::string range = trace::decimal(numbers[at]);
        if (last != at) range += (last == at + 1 ? ", " : "-") + trace::decimal(numbers[last]);
        append_item(text, printed == most ? "..." : range);
        at = last + 1;
    }
    return (numbers.size() == 1 ? "argument " : "arguments ") + text;
}

std::vector<std::size_t> arguments_of(const std::vector<donation_pair>& pairs) {
    std::vector<std::size_t> arguments;
    for (const donation_pair& each : pairs) arguments.push_back(each.argument);
    return arguments;
}

/// Pairs of the same shapes and sizes.
struct pair_group {
    std::vector<donation_pair> pairs;
    std::size_t first = 0;  ///< position of the first in the advice
    std::size_t alternatives = 0;
    std::uint64_t bytes = 0;  ///< of all of them
};

/// Returns pairs of the same shapes in groups, those of the largest sum first.
std::vector<pair_group> groups_of(const donation_question& in, const donation_advice& advice) {
    std::map<std::tuple<std::string_view, std::string_view, std::uint64_t>, pair_group> by_shape;
    for (std::size_t at = 0; at < advice.pairs.size(); ++at) {
        const donation_pair& pair = advice.pairs[at];
        const donation_array& output = in.outputs[pair.output];
        pair_group& group = by_shape[{in.arguments[pair.argument].shape, output.shape, output.bytes}];
        if (group.pairs.empty()) {
            group.first = at;
            group.alternatives = advice.alternatives[at];
        }
        group.pairs.push_back(pair);
        group.bytes += output.bytes;
    }
    std::vector<pair_group> groups;
    for (auto& [key, group] : by_shape) groups.push_back(std::move(group));
    std::sort(groups.begin(), groups.end(), [](const pair_group& left, const pair_group& right) {
        return left.bytes != right.bytes ? left.bytes > right.bytes : left.first < right.first;
    });
    return groups;
}

/// Returns a line about pairs of the same shapes.
std::string group_line(const donation_question& in, const pair_group& group) {
    const donation_pair& first = group.pairs.front();
    const donation_array& argument = in.arguments[first.argument];
    const donation_array& output = in.outputs[first.output];
    const std::size_t count = group.pairs.size();
    std::string line = "  " + trace::decimal(count) + " x " + exact_size(output.bytes) + "  " + argument.shape;
    if (!first.same_shape) line += " for an output " + output.shape;
    line += ": " + arguments_text(parameters(in, arguments_of(group.pairs)));
    if (!argument.label.empty())
        line += " (" + argument.label + (count > 1 ? " and " + trace::decimal(count - 1) + " more)" : ")");
    if (group.alternatives > count && first.same_shape)
        line += "; " + trace::decimal(group.alternatives) + " arguments have this size, so others may serve";
    return line + '\n';
}

/// Returns true if `bytes` is at least a thousandth of `held_bytes(in)`: less is not worth a reader's time.
bool matters(std::uint64_t bytes, const donation_question& in) noexcept {
    return bytes != 0 && bytes >= held_bytes(in) / 1000;
}

std::string advice_text(const donation_question& in, const donation_advice& advice, std::string_view file) {
    std::string text = "Donation: " + counted_digits(advice.pairs.size(), "more argument") +
                       " could be donated. A run would hold " + exact_size(advice.saved_bytes) + " less";
    if (in.devices > 1) text += " on " + trace::decimal(in.devices) + " devices together";
    if (in.devices > 1 && advice.saved_share_bytes) text += ", " + exact_size(*advice.saved_share_bytes) + " on each";
    text += ".\n";
    const std::vector<pair_group> groups = groups_of(in, advice);
    std::uint64_t rest = 0;
    std::size_t rest_count = 0;
    for (std::size_t at = 0; at < groups.size(); ++at) {
        if (at < max_groups) {
            text += group_line(in, groups[at]);
            continue;
        }
        rest += groups[at].bytes;
        rest_count += groups[at].pairs.size();
    }
    if (rest_count != 0)
        text += "  " + counted_digits(rest_count, "smaller argument") + ": " + size_in_words(rest) + '\n';
    text +=
        "  Donate only what nothing uses after the call. Numbers count the compiled program's arguments: the leaves "
        "of all\n"
        "  arguments in order, without those that the program does not use. donate_argnums names the arguments that "
        "hold them.\n";
    constexpr std::size_t most = 4;
    text += "  " + alias_text(in, advice.pairs, most) + '\n';
    if (advice.pairs.size() > most && !file.empty())
        text += "  All pairs, and input_output_alias as a whole, are under \"donation\" in what this prints:\n"
                "  hbm_compare --describe " +
                trace::shell_word(file) + '\n';
    return text;
}

std::string in_vain_text(const donation_question& in, const donation_advice& advice) {
    std::uint64_t bytes = 0;
    for (const std::size_t each : advice.donated_in_vain) bytes += in.arguments[each].bytes;
    if (!matters(bytes, in)) return {};
    return "Donated without effect: " + counted_digits(advice.donated_in_vain.size(), "argument") + " of " +
           exact_size(bytes) +
           ", as no output has the size: " + arguments_text(parameters(in, advice.donated_in_vain)) + ".\n";
}

std::string padding_text(const donation_question& in) {
    const std::vector<padded_group> groups = find_padding(in);
    if (!matters(waste_of(groups), in)) return {};
    std::string text = "Padding: arguments and fresh outputs hold " + exact_size(waste_of(groups)) +
                       " that are no elements: tiles round dimensions up.\n";
    std::uint64_t rest = 0;
    for (std::size_t at = 0; at < groups.size(); ++at) {
        const padded_group& group = groups[at];
        if (at >= max_groups)
            rest += group.waste();
        else
            text += "  " + trace::decimal(group.count) + " x " + std::string(group.shape) + ": " +
                    size_in_words(group.unpadded_bytes) + " of elements take " + size_in_words(group.bytes) + "; " +
                    size_in_words(group.waste()) + " of padding in all\n";
    }
    if (groups.size() > max_groups)
        text += "  " + counted_digits(groups.size() - max_groups, "further shape") + ": " + size_in_words(rest) +
                " of padding\n";
    return text;
}

}  // namespace

bool is_worth_donating(const donation_question& in) {
    return matters(advise_donation(in).saved_bytes, in);
}

std::string donation_text(const donation_question& in, std::string_view file) {
    const donation_advice advice = advise_donation(in);
    return (matters(advice.saved_bytes, in) ? advice_text(in, advice, file) : std::string{}) +
           in_vain_text(in, advice) + padding_text(in);
}

described describe(const donation_question& in) {
    const donation_advice advice = advise_donation(in);
    const std::vector<padded_group> groups = find_padding(in);
    described::list pairs;
    for (const donation_pair& each : advice.pairs)
        pairs.push_back(described::fields{{"output", in.outputs[each.output].index},
                                          {"parameter", in.arguments[each.argument].parameter},
                                          {"index", in.arguments[each.argument].index},
                                          {"bytes", in.outputs[each.output].bytes},
                                          {"same_shape", each.same_shape}});
    described::list in_vain;
    for (const std::size_t each : advice.donated_in_vain) in_vain.emplace_back(in.arguments[each].parameter);
    described::list padding;
    for (const padded_group& each : groups)
        padding.push_back(described::fields{{"shape", each.shape},
                                            {"count", each.count},
                                            {"bytes", each.bytes},
                                            {"unpadded_bytes", each.unpadded_bytes}});
    return described::fields{
        {"saved_bytes", advice.saved_bytes},
        {"saved_share_bytes", advice.saved_share_bytes},
        {"leaves", parameters(in, arguments_of(advice.pairs))},
        {"pairs", std::move(pairs)},
        {"input_output_alias", advice.pairs.empty() ? "" : alias_text(in, advice.pairs, advice.pairs.size())},
        {"donated_in_vain", std::move(in_vain)},
        {"padding_bytes", waste_of(groups)},
        {"padding", std::move(padding)}};
}

}  // namespace hbm::imported
