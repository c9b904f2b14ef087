#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <tuple>

#include "compare/read/description.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/read/xla/donation/texts.hpp"
#include "compare/text/json_writer.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace texts = donation_texts;

namespace {

/// Limit on the groups of arrays that are printed.
constexpr std::size_t max_groups = 6;

/// Returns a count with its noun: `1 argument`, `3 arguments`.
std::string counted(std::uint64_t count, std::string_view noun) {
    return trace::decimal(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

/// Returns a size with its exact bytes: `264.56M (277,413,888 bytes)`.
std::string exact_size(std::uint64_t bytes) {
    if (bytes < 1024) return size_in_words(bytes);
    return filled(texts::exact_bytes, {{"size", size_in_words(bytes)}, {"bytes", grouped_digits(bytes)}});
}

/// Returns an index as XLA prints it: `{1,0}`.
std::string index_text(const index_path& index) {
    std::string text = "{";
    for (std::size_t at = 0; at < index.size(); ++at) text += (at == 0 ? "" : ",") + trace::decimal(index[at]);
    return text + '}';
}

}  // namespace

std::string ranges(std::vector<std::uint64_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    constexpr std::size_t most = 12;
    std::string text;
    std::size_t printed = 0;
    for (std::size_t at = 0; at < numbers.size(); ++printed) {
        if (printed == most) return text + ", ...";
        std::size_t last = at;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        text += (text.empty() ? "" : ", ") + trace::decimal(numbers[at]);
        if (last != at) text += (last == at + 1 ? ", " : "-") + trace::decimal(numbers[last]);
        at = last + 1;
    }
    return text;
}

std::string alias_text(const donation_question& in, const std::vector<donation_pair>& pairs, std::size_t most) {
    std::vector<donation_pair> ordered = pairs;
    std::sort(ordered.begin(), ordered.end(),
              [](const donation_pair& left, const donation_pair& right) { return left.output < right.output; });
    std::string text = "input_output_alias={ ";
    for (std::size_t at = 0; at < ordered.size() && at < most; ++at) {
        const donation_array& argument = in.arguments[ordered[at].argument];
        text += (at == 0 ? "" : ", ") + index_text(in.outputs[ordered[at].output].index) + ": (" +
                trace::decimal(argument.parameter) + ", " + index_text(argument.index) + ", may-alias)";
    }
    return text + (ordered.size() > most ? ", ... }" : " }");
}

namespace {

/// Returns the parameters of pairs.
std::vector<std::uint64_t> parameters(const donation_question& in, const std::vector<donation_pair>& pairs) {
    std::vector<std::uint64_t> numbers;
    for (const donation_pair& each : pairs) numbers.push_back(in.arguments[each.argument].parameter);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

/// Returns `argument 3` or `arguments 0-3, 5`.
std::string arguments_text(const std::vector<std::uint64_t>& numbers) {
    return filled(numbers.size() == 1 ? texts::argument : texts::arguments, {{"numbers", ranges(numbers)}});
}

/// Returns a line about pairs of the same shapes, which all have the size of the first.
std::string group_line(const donation_question& in, const donation_advice& advice,
                       const std::vector<std::size_t>& group) {
    std::vector<donation_pair> pairs;
    for (const std::size_t each : group) pairs.push_back(advice.pairs[each]);
    const donation_array& argument = in.arguments[pairs.front().argument];
    const donation_array& output = in.outputs[pairs.front().output];
    const bool is_same_shape = pairs.front().same_shape;
    const std::uint64_t alternatives = advice.alternatives[group.front()];
    const std::string_view label = argument.label.empty() ? std::string_view{} : texts::label[group.size() > 1 ? 1 : 0];
    return filled(texts::group[is_same_shape ? 0 : 1],
                  {{"count", std::uint64_t{group.size()}},
                   {"bytes", exact_size(output.bytes)},
                   {"shape", argument.shape},
                   {"output", output.shape},
                   {"arguments", arguments_text(parameters(in, pairs))},
                   {"label", filled(label, {{"label", argument.label}, {"others", std::uint64_t{group.size() - 1}}})},
                   {"alternatives", alternatives > group.size() && is_same_shape
                                        ? filled(texts::alternatives, {{"count", alternatives}})
                                        : std::string{}}});
}

/// Pairs of the same shapes, in groups; those of the largest sum first.
std::vector<std::vector<std::size_t>> groups_of(const donation_question& in, const donation_advice& advice) {
    std::vector<std::size_t> order(advice.pairs.size());
    for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
    const auto key = [&](std::size_t at) {
        const donation_pair& pair = advice.pairs[at];
        return std::tuple(std::string_view(in.arguments[pair.argument].shape),
                          std::string_view(in.outputs[pair.output].shape), in.outputs[pair.output].bytes);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        return key(left) != key(right) ? key(left) < key(right) : left < right;
    });
    std::vector<std::vector<std::size_t>> groups;
    for (const std::size_t each : order) {
        if (groups.empty() || key(groups.back().front()) != key(each)) groups.emplace_back();
        groups.back().push_back(each);
    }
    const auto bytes = [&](const std::vector<std::size_t>& group) {
        return in.outputs[advice.pairs[group.front()].output].bytes * group.size();
    };
    std::sort(groups.begin(), groups.end(), [&](const auto& left, const auto& right) {
        return bytes(left) != bytes(right) ? bytes(left) > bytes(right) : left.front() < right.front();
    });
    return groups;
}

/// Returns true if `bytes` is at least a thousandth of `held_bytes(in)`: less is not worth a reader's time.
bool matters(std::uint64_t bytes, const donation_question& in) noexcept {
    return bytes != 0 && bytes >= held_bytes(in) / 1000;
}

std::string in_vain_text(const donation_question& in, const donation_advice& advice) {
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> numbers;
    for (const std::size_t each : advice.donated_in_vain) {
        bytes += in.arguments[each].bytes;
        numbers.push_back(in.arguments[each].parameter);
    }
    if (!matters(bytes, in)) return {};
    return filled(texts::without_effect, {{"count", counted(advice.donated_in_vain.size(), "argument")},
                                          {"bytes", exact_size(bytes)},
                                          {"arguments", arguments_text(numbers)}});
}

std::string padding_text(const donation_question& in) {
    const padding_waste waste = find_padding(in);
    if (!matters(waste.bytes, in)) return {};
    std::string text = filled(texts::padding, {{"bytes", exact_size(waste.bytes)}});
    std::uint64_t rest = 0;
    for (std::size_t at = 0; at < waste.groups.size(); ++at) {
        const padded_group& group = waste.groups[at];
        if (at >= max_groups) {
            rest += group.waste();
            continue;
        }
        text += filled(texts::padded_group, {{"count", std::uint64_t{group.count}},
                                             {"shape", group.shape},
                                             {"elements", size_in_words(group.unpadded_bytes)},
                                             {"bytes", size_in_words(group.bytes)},
                                             {"padding", size_in_words(group.waste())}});
    }
    if (waste.groups.size() > max_groups)
        text += filled(texts::further_padding, {{"shapes", counted(waste.groups.size() - max_groups, "further shape")},
                                                {"padding", size_in_words(rest)}});
    return text;
}

}  // namespace

bool is_worth_donating(const donation_question& in) {
    return matters(advise_donation(in).saved_bytes, in);
}

std::string donation_text(const donation_question& in, std::string_view file) {
    const donation_advice advice = advise_donation(in);
    std::string text;
    if (matters(advice.saved_bytes, in)) {
        const std::size_t has_share = advice.saved_share_bytes ? 2 : 1;
        text += filled(texts::donation[in.devices > 1 ? has_share : 0],
                       {{"arguments", counted(advice.pairs.size(), "more argument")},
                        {"saved", exact_size(advice.saved_bytes)},
                        {"devices", in.devices},
                        {"share", exact_size(advice.saved_share_bytes.value_or(0))}});
        const std::vector<std::vector<std::size_t>> groups = groups_of(in, advice);
        std::uint64_t rest = 0;
        std::size_t rest_count = 0;
        for (std::size_t at = 0; at < groups.size(); ++at) {
            if (at < max_groups) {
                text += group_line(in, advice, groups[at]);
                continue;
            }
            for (const std::size_t each : groups[at]) rest += in.outputs[advice.pairs[each].output].bytes;
            rest_count += groups[at].size();
        }
        if (rest_count != 0)
            text += filled(texts::smaller_groups,
                           {{"arguments", counted(rest_count, "smaller argument")}, {"bytes", size_in_words(rest)}});
        text += texts::advice;
        constexpr std::size_t most = 4;
        text += "  " + alias_text(in, advice.pairs, most) + '\n';
        if (advice.pairs.size() > most && !file.empty())
            text += filled(texts::all_pairs, {{"file", trace::shell_word(file)}});
    }
    return text + in_vain_text(in, advice) + padding_text(in);
}

std::string donation_json(const donation_question& in) {
    const donation_advice advice = advise_donation(in);
    const padding_waste waste = find_padding(in);
    json_writer json;
    json.begin_object();
    json.field("saved_bytes", advice.saved_bytes);
    json.field("saved_share_bytes", advice.saved_share_bytes);
    json.values("leaves", parameters(in, advice.pairs));
    json.objects("pairs", advice.pairs, [&](const donation_pair& each) {
        const donation_array& argument = in.arguments[each.argument];
        write(json, "output", in.outputs[each.output].index);
        json.field("parameter", argument.parameter);
        write(json, "index", argument.index);
        json.field("bytes", in.outputs[each.output].bytes);
        json.field("same_shape", each.same_shape);
    });
    json.field("input_output_alias",
               advice.pairs.empty() ? std::string{} : alias_text(in, advice.pairs, advice.pairs.size()));
    json.array("donated_in_vain", advice.donated_in_vain,
               [&](const std::size_t each) { json.value(in.arguments[each].parameter); });
    json.field("padding_bytes", waste.bytes);
    json.objects("padding", waste.groups, [&](const padded_group& each) {
        json.field("shape", each.shape);
        json.field("count", std::uint64_t{each.count});
        json.field("bytes", each.bytes);
        json.field("unpadded_bytes", each.unpadded_bytes);
    });
    json.end_object();
    return json.text();
}

}  // namespace hbm::imported
