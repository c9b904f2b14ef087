#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <string>

#include "compare/answers/batches/fit.hpp"
#include "compare/answers/batches/texts.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

using imported::wrapped;

namespace {

namespace texts = batch_texts;

/// Returns the batches as a list: `8, 16 and 24`.
std::string batches_of(const batch_fit& fit) {
    std::vector<std::string> all;
    for (const batch_sample& sample : fit.samples) all.push_back(grouped_digits(sample.batch));
    return list_in_words(all);
}

/// Returns the sentence on the largest batch.
std::string verdict_of(const batch_fit& fit, std::string_view device) {
    std::string_view text = fit.is_measured ? texts::largest_measured : texts::largest_on_line;
    if (!fit.falls.empty())
        text = fit.batch ? texts::largest_certain : texts::none_certain;
    else if (fit.need.slope == 0)
        text = texts::constant[fit.of_temporaries][fit.batch.has_value()];
    else if (fit.batch == 0)
        text = texts::none;
    return filled(text, {{"batch", grouped_digits(fit.batch.value_or(0))},
                         {"batches", batches_of(fit)},
                         {"device", std::string(device)},
                         {"fixed", size_in_words(fit.need.fixed)}});
}

/// Returns the sentence on the part that grows most; empty if no part is stated in all samples.
std::string growth_of(const batch_fit& fit) {
    std::size_t most = part_names.size();
    for (std::size_t at = 0; at < part_names.size(); ++at)
        if (fit.parts[at] && fit.parts[at]->slope != 0 &&
            (most == part_names.size() || fit.parts[at]->slope > fit.parts[most]->slope))
            most = at;
    const bool is_all = most == part_names.size();
    if (!fit.falls.empty() || (is_all && fit.need.slope == 0)) return {};
    return filled(is_all               ? texts::all_grows
                  : fit.of_temporaries ? texts::part_grows
                                       : texts::part_and_all_grow,
                  {{"part", std::string(is_all ? "" : texts::parts[most])},
                   {"growth", size_in_words(is_all ? 0 : fit.parts[most]->slope)},
                   {"all", size_in_words(fit.need.slope)}});
}

std::string advice_of(const batch_fit& fit) {
    if (!fit.falls.empty()) {
        const batch_sample& lower = fit.samples[fit.falls.front()];
        const batch_sample& before = fit.samples[fit.falls.front() - 1];
        return filled(texts::compile_each, {{"lower", grouped_digits(lower.batch)},
                                            {"lower_need", size_in_words(*lower.need)},
                                            {"before", grouped_digits(before.batch)},
                                            {"before_need", size_in_words(*before.need)}});
    }
    if (!fit.batch || *fit.batch == 0 || fit.need.slope == 0) return std::string(texts::smaller_program);
    return filled(texts::compile_first, {{"batch", grouped_digits(*fit.batch)}});
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

std::string batch_answer(const batch_fit& fit, std::string_view device) {
    std::string text = wrapped(verdict_of(fit, device));
    if (const std::string growth = growth_of(fit); !growth.empty()) text += wrapped(growth);
    text += '\n' + wrapped(advice_of(fit)) + '\n' + table_of(fit);
    return fit.of_temporaries ? text + '\n' + wrapped(texts::temporaries_only) : text;
}

}  // namespace hbm::compare
