#include <hbm/explain/words.hpp>

#include <algorithm>
#include <string>

#include "compare/answers/batches/fit.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

using imported::wrapped;

namespace {

/// Returns the batches as a list: `8, 16 and 24`.
std::string batches_of(const batch_fit& fit) {
    std::vector<std::string> all;
    for (const batch_sample& sample : fit.samples) all.push_back(grouped_digits(sample.batch));
    return list_in_words(all);
}

std::string what_of(const batch_fit& fit) {
    return fit.of_temporaries ? "temporaries" : "memory";
}

/// Returns the sentence on the largest batch.
std::string verdict_of(const batch_fit& fit, const std::string& device) {
    if (!fit.falls.empty())
        return fit.batch ? "Memory is not monotonic in the batch: of these batches " + grouped_digits(*fit.batch) +
                               " is the largest that fits " + device + ", and no other is certain."
                         : "Memory is not monotonic in the batch: none of the batches " + batches_of(fit) + " fits " +
                               device + ", and no other is certain.";
    if (fit.need.slope == 0)
        return "The " + what_of(fit) +
               " of the program does not grow with the batch: " + (fit.batch ? "every batch fits " : "no batch fits ") +
               device + ".";
    if (fit.batch == 0)
        return "No batch fits " + device + ": even without the part that grows, the program needs " +
               size_in_words(fit.need.fixed) + ".";
    return "The largest batch that fits " + device + " is " + grouped_digits(*fit.batch) +
           (fit.is_measured ? ", which is one of these." : ", by the line through batches " + batches_of(fit) + ".");
}

/// Returns the sentence on the part that grows most; empty if no part is stated in all samples.
std::string growth_of(const batch_fit& fit) {
    std::size_t most = part_names.size();
    for (std::size_t at = 0; at < part_names.size(); ++at)
        if (fit.parts[at] && fit.parts[at]->slope != 0 &&
            (most == part_names.size() || fit.parts[at]->slope > fit.parts[most]->slope))
            most = at;
    if (!fit.falls.empty()) return {};
    const std::string unit = " for each more of the batch";
    if (most == part_names.size())
        return fit.need.slope == 0 ? std::string{} : "It grows by " + size_in_words(fit.need.slope) + unit + ".";
    std::string name(part_names[most]);
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    std::string text = name + " grow by " + size_in_words(fit.parts[most]->slope) + unit;
    return fit.of_temporaries ? text + "." : text + ", all memory by " + size_in_words(fit.need.slope) + ".";
}

std::string advice_of(const batch_fit& fit) {
    if (!fit.falls.empty()) {
        const batch_sample& lower = fit.samples[fit.falls.front()];
        const batch_sample& before = fit.samples[fit.falls.front() - 1];
        return "Compile each batch that you would use: batch " + grouped_digits(lower.batch) + " needs " +
               size_in_words(*lower.need) + ", and the smaller batch " + grouped_digits(before.batch) + " needs " +
               size_in_words(*before.need) + ".";
    }
    if (!fit.batch || *fit.batch == 0 || fit.need.slope == 0)
        return "Make the program itself smaller first: fewer or narrower layers a device, recomputation, shorter "
               "sequences.";
    return "Compile batch " + grouped_digits(*fit.batch) +
           " first, then its neighbours: padding and fusion differ from "
           "batch to batch, so a smaller batch can need more.";
}

std::string table_of(const batch_fit& fit) {
    std::vector<std::vector<std::string>> rows(1, {"batch", "needs"});
    for (const std::string_view name : part_names) rows.front().emplace_back(name);
    for (const batch_sample& sample : fit.samples) {
        rows.push_back({grouped_digits(sample.batch), size_in_words(*sample.need)});
        for (const std::optional<std::uint64_t>& size : sample.parts)
            rows.back().push_back(size ? size_in_words(*size) : "-");
    }
    return imported::aligned(rows, "  ");
}

}  // namespace

std::string batch_text(const batch_fit& fit, std::string_view device) {
    std::string text = wrapped(verdict_of(fit, std::string(device)));
    if (const std::string growth = growth_of(fit); !growth.empty()) text += wrapped(growth);
    text += '\n' + wrapped(advice_of(fit)) + '\n' + table_of(fit);
    if (fit.of_temporaries)
        text += '\n' + wrapped("Note: not every text states more than temporaries, which are compared with all of the "
                               "device. Arguments come on top: the batch that fits can be smaller.");
    return text;
}

}  // namespace hbm::compare
