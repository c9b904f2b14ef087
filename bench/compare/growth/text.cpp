#include "compare/growth/text.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/growth/growth.hpp"
#include "compare/growth/texts.hpp"
#include "compare/text/text.hpp"

namespace hbm {

namespace {

namespace texts = growth_texts;

/// Returns the unit of the rate: "a run", "a step", "a step of 23 rows", "an hour".
std::string rate_unit(const growth_summary& summary) {
    if (summary.unit == growth_unit::times) return std::string(texts::an_hour);
    return filled(summary.rows_a_step != 0 ? texts::a_step_of_rows : texts::a_step,
                  {{"step", summary.step_name}, {"rows", grouped_digits(summary.rows_a_step)}});
}

/// Returns the number of steps: "640 steps", "1 sample".
std::string steps_seen(const growth_summary& summary) {
    return filled(summary.seen() == 1 ? texts::seen_one : texts::seen,
                  {{"count", grouped_digits(summary.seen())}, {"step", summary.step_name}});
}

/// Returns the place of a step: "step 840", "3.5 h after the first sample".
std::string place_of(const growth_summary& summary, std::uint64_t step) {
    const std::uint64_t position = summary.position(step);
    const std::uint64_t first = summary.position(0);
    const bool is_timed = summary.unit == growth_unit::times;
    return filled(!is_timed           ? texts::place
                  : position <= first ? texts::first_place
                                      : texts::later_place,
                  {{"step", summary.step_name},
                   {"position", grouped_digits(position)},
                   {"time", duration_in_words(position - std::min(first, position))}});
}

std::string capitalised(std::string text) {
    if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - ('a' - 'A'));
    return text;
}

const texts::tag_texts& texts_of(const tag_growth& tag) {
    if (tag.is_programs) return texts::programs;
    if (tag.is_several) return texts::other_tags;
    return tag.name.empty() ? texts::no_tag : texts::named_tag;
}

std::string time_left(const growth_summary& summary, std::uint64_t step) {
    const std::uint64_t last = summary.position(summary.steps);
    return duration_in_words(summary.position(step) - std::min(last, summary.position(step)));
}

/// Returns the range of steps at which memory ends, if it differs by more than a tenth of the time left; else empty.
/// Few leaked blocks allow nothing more precise: for n blocks that leak at random, the relative error is 1 / sqrt(n).
std::string range_of_end(const growth_summary& summary, const growth_forecast& growth) {
    const std::uint64_t end = growth.end_step(*summary.capacity);
    // A forecast end is not earlier than the last step.
    const std::uint64_t first = std::max(growth.earliest_end_step(*summary.capacity), std::min(summary.steps, end));
    const std::uint64_t last = growth.latest_end_step(*summary.capacity);
    const std::uint64_t tenth = (end - std::min(summary.steps, end)) / 10;
    const auto is_near = [&](std::uint64_t step) { return std::max(step, end) - std::min(step, end) <= tenth; };
    if (is_near(first) && is_near(last)) return {};
    const bool is_timed = summary.unit == growth_unit::times;
    const auto position = [&](std::uint64_t step) {
        return is_timed ? time_left(summary, step) : grouped_digits(summary.position(step));
    };
    if (last == ~std::uint64_t{0})
        return filled(is_timed ? texts::earliest_in : texts::earliest_at, {{"first", position(first)}});
    return filled(texts::between, {{"first", position(first)}, {"last", position(last)}});
}

/// Returns the end of memory with eviction of programs that do not run. Empty unless it is later by a tenth of the time
/// left or more.
std::string end_if_evicting(const growth_summary& summary, const growth_forecast& growth) {
    if (!summary.evicting || summary.evicting->top_bytes >= *summary.capacity) return {};
    const std::uint64_t end = summary.passed_step ? *summary.passed_step : growth.end_step(*summary.capacity);
    const std::uint64_t later = summary.evicting->end_step(*summary.capacity);
    if (later <= end || (later - end) * 10 < end - std::min(summary.steps, end)) return {};
    return filled(texts::evicting, {{"place", place_of(summary, later)}});
}

std::string limit_of(const growth_summary& summary) {
    return std::string(summary.has_limit ? texts::limit_of_samples : texts::limit_given);
}

/// Returns the end of memory, past or forecast.
std::string end_of_memory(const growth_summary& summary, const growth_forecast& growth) {
    if (!summary.capacity) return std::string(texts::capacity_unknown);
    const bool has_passed = summary.passed_step.has_value();
    if (!has_passed && growth.top_bytes >= *summary.capacity)
        return filled(texts::is_full, {{"capacity", size_in_words(*summary.capacity)}});
    const bool is_timed = summary.unit == growth_unit::times;
    const std::uint64_t step = has_passed ? *summary.passed_step : growth.end_step(*summary.capacity);
    return filled(has_passed ? (summary.has_tags ? texts::live_passed : texts::samples_passed)
                  : is_timed ? texts::full_in
                             : texts::full_at,
                  {{"capacity", size_in_words(*summary.capacity)},
                   {"limit", limit_of(summary)},
                   {"place", place_of(summary, step)},
                   {"time", time_left(summary, step)},
                   {"in_use", size_in_words(summary.end_bytes)},
                   {"range", has_passed ? "" : range_of_end(summary, growth)},
                   {"evicting", end_if_evicting(summary, growth)},
                   {"step", summary.step_name}});
}

std::string gap_of(const growth_summary& summary) {
    if (!summary.gap) return {};
    return filled(texts::gap, {{"begin", place_of(summary, summary.gap->begin)},
                               {"end", place_of(summary, summary.gap->end)},
                               {"step", summary.step_name},
                               {"risen", size_in_words(summary.gap->risen_bytes)}});
}

std::string jump_of(const growth_summary& summary) {
    if (!summary.jump) return {};
    return filled(texts::jump, {{"place", place_of(summary, summary.jump->step)},
                                {"risen", size_in_words(summary.jump->risen_bytes)}});
}

/// Returns the excess of the peak over the capacity; empty if there is none.
std::string excess_of(const growth_summary& summary) {
    if (!summary.capacity || summary.peak_bytes <= *summary.capacity) return {};
    return filled(texts::excess, {{"more", size_in_words(summary.peak_bytes - *summary.capacity)},
                                  {"limit", limit_of(summary)},
                                  {"capacity", size_in_words(*summary.capacity)}});
}

/// Returns the bytes in use at the last sample; empty without one, and for traces, which have a table.
std::string use_of(const growth_summary& summary) {
    if (summary.seen() == 0 || summary.has_tags) return {};
    const bool has_capacity = summary.capacity.value_or(0) != 0;
    const bool is_below = summary.peak_bytes > summary.end_bytes;
    return filled(has_capacity ? (is_below ? texts::use_of_capacity_below_peak : texts::use_of_capacity)
                               : (is_below ? texts::use_below_peak : texts::use),
                  {{"in_use", size_in_words(summary.end_bytes)},
                   {"capacity", size_in_words(summary.capacity.value_or(0))},
                   {"percent", percent_of(summary.end_bytes, summary.capacity.value_or(0))},
                   {"peak", size_in_words(summary.peak_bytes)}});
}

std::string too_few_steps(const growth_summary& summary) {
    return filled(summary.seen() == 1 ? texts::one_is_too_few : texts::too_few,
                  {{"use", use_of(summary)}, {"seen", steps_seen(summary)}, {"fewest", fewest_growth_steps}});
}

std::string no_growth(const growth_summary& summary) {
    const bool has_passed = summary.passed_step && !summary.has_tags;
    std::string unproven;
    if (summary.is_unproven())
        unproven =
            filled(texts::unproven, {{"seen", steps_seen(summary)},
                                     {"rise", size_in_words(summary.rise->ended_bytes - summary.rise->began_bytes)},
                                     {"end", size_in_words(summary.rise->ended_bytes)}});
    const std::string spike_place = summary.spike ? place_of(summary, summary.spike->step) : " ";
    return filled(texts::no_growth[summary.is_unproven()][has_passed      ? 0
                                                          : summary.spike ? 1
                                                                          : 2],
                  {{"unproven", unproven},
                   {"seen", steps_seen(summary)},
                   {"passed", has_passed ? end_of_memory(summary, {}) : ""},
                   {"spike_place", spike_place},
                   {"Spike_place", capitalised(spike_place)},
                   {"spike", size_in_words(summary.spike ? summary.spike->bytes : 0)},
                   {"usual", size_in_words(summary.spike ? summary.spike->usual_bytes : 0)},
                   {"peak", size_in_words(summary.peak_bytes)},
                   {"peak_place", place_of(summary, summary.peak_step)},
                   {"excess", excess_of(summary)},
                   {"jump", jump_of(summary)},
                   {"gap", gap_of(summary)}});
}

/// Returns the part of the tag that grows most, or the reason if all together do not grow.
std::string_view culprit_text(const growth_summary& summary, const tag_growth* culprit) {
    if (summary.growth && culprit == nullptr) return {};
    if (summary.growth) return culprit->growth ? texts_of(*culprit).holds : texts_of(*culprit).has_risen;
    if (culprit == nullptr || culprit->risen_bytes >= summary.varied_bytes) return texts::not_together;
    // Visible growth is reported: a tag may hold much, and all together vary by more.
    return culprit->risen_bytes >= summary.varied_bytes / 4 ? texts::nearly_lost : texts::lost;
}

std::string growth_sentence(const growth_summary& summary, const growth_forecast& growth) {
    const tag_growth* const culprit = summary.culprit();
    const std::string tag = culprit == nullptr ? "" : culprit->name;
    const std::uint64_t rate = summary.micro_rate(growth);
    const std::uint64_t part = culprit != nullptr && culprit->growth ? summary.micro_rate(*culprit->growth) : 0;
    return filled(
        texts::growth,
        {{"who", summary.growth || culprit == nullptr ? std::string(texts::memory_grows)
                                                      : filled(texts_of(*culprit).grows, {{"tag", tag}})},
         {"rate", rate_in_words(rate)},
         {"unit", rate_unit(summary)},
         {"since", growth.since == 0 ? std::string(texts::from_start)
                                     : filled(texts::since, {{"place", place_of(summary, growth.since)}})},
         {"culprit", filled(culprit_text(summary, culprit),
                            {{"tag", tag},
                             {"share", percent_of(part, rate)},
                             {"risen", size_in_words(culprit == nullptr ? 0 : culprit->risen_bytes)},
                             {"varied", size_in_words(summary.varied_bytes)}})},
         {"inferred", std::string(summary.finds_steps ? texts::inferred : "")},
         {"few", summary.seen() < certain_growth_steps ? filled(texts::few, {{"seen", steps_seen(summary)}}) : ""},
         {"end", end_of_memory(summary, growth)},
         {"jump", summary.growth ? jump_of(summary) : ""},
         {"gap", gap_of(summary)}});
}

/// Returns the rows of the table of tags, at most `most` and the header. An instant has only present bytes; a trace
/// without marked steps has no columns that count steps.
std::vector<std::vector<std::string>> table_of(const growth_summary& summary, std::size_t most) {
    const bool has_steps = !summary.is_instant && !summary.marks_no_steps;
    std::vector<std::vector<std::string>> lines;
    if (summary.is_instant)
        lines.push_back({"tag", "bytes", "blocks"});
    else if (!has_steps)
        lines.push_back({"tag", "most", "at the peak", "blocks", "at the end", "blocks"});
    else
        lines.push_back(
            {"tag", "grows", "since", "most", "at the peak", "blocks", "oldest", "at the end", "blocks", "oldest"});
    std::vector<const tag_growth*> order;
    for (const tag_growth& tag : summary.tags) order.push_back(&tag);
    if (!has_steps)  // without certainty, growing tags do not come first
        std::sort(order.begin(), order.end(), [&](const tag_growth* a, const tag_growth* b) {
            const std::uint64_t left = summary.is_instant ? a->at_end.bytes : a->at_peak.bytes;
            const std::uint64_t right = summary.is_instant ? b->at_end.bytes : b->at_peak.bytes;
            return left != right ? left > right : a < b;  // ties keep the order of the list
        });
    for (const tag_growth* const tag : order) {
        if (lines.size() > most) break;
        lines.push_back({filled(texts_of(*tag).cell, {{"tag", tag->name}})});
        std::vector<std::string>& cells = lines.back();
        if (has_steps) {
            cells.push_back(tag->growth ? rate_in_words(summary.micro_rate(*tag->growth)) : "-");
            cells.push_back(tag->growth ? grouped_digits(summary.position(tag->growth->since)) : "-");
        }
        if (!summary.is_instant) cells.push_back(size_in_words(tag->most));
        for (const tag_moment* moment : {&tag->at_peak, &tag->at_end}) {
            if (summary.is_instant && moment == &tag->at_peak) continue;
            cells.push_back(size_in_words(moment->bytes));
            cells.push_back(grouped_digits(moment->count));
            if (has_steps) cells.push_back(moment->oldest_steps ? grouped_digits(*moment->oldest_steps) : "-");
        }
    }
    return lines;
}

}  // namespace

std::uint64_t percent_of(std::uint64_t part, std::uint64_t whole) noexcept {
    __extension__ typedef unsigned __int128 wide;
    return part >= whole ? 100 : static_cast<std::uint64_t>(wide{part} * 100 / whole);
}

std::string sentence(const growth_summary& summary) {
    if (!summary.is_instant && !summary.marks_no_steps) {
        if (summary.seen() < fewest_growth_steps) return too_few_steps(summary);
        if (const std::optional<growth_forecast> growth = summary.headline()) return growth_sentence(summary, *growth);
        return no_growth(summary);
    }
    const std::string in_use = size_in_words(summary.end_bytes);
    const std::string granted = size_in_words(summary.granted_bytes);
    const bool is_same = summary.granted_bytes <= summary.end_bytes || granted == in_use;
    return filled(!summary.is_instant ? texts::no_steps_marked
                  : is_same           ? texts::instant
                                      : texts::instant_in_quanta,
                  {{"in_use", in_use},
                   {"granted", granted},
                   {"peak", size_in_words(summary.peak_bytes)},
                   {"excess", excess_of(summary)}});
}

std::string to_text(const growth_summary& summary, std::size_t most) {
    std::string text = summary.source.empty() ? "" : summary.source + ": ";
    text = imported::wrapped(text + sentence(summary));
    if (!summary.has_tags || summary.tags.empty()) return text;
    text += "\n" + imported::aligned(table_of(summary, most));
    if (summary.tags.size() > most)
        text += filled(texts::more_tags, {{"count", grouped_digits(summary.tags.size() - most)}});
    if (summary.is_instant || summary.marks_no_steps) return text;
    const std::string steps = filled(summary.rows_a_step != 0 ? texts::steps_of_rows : texts::steps,
                                     {{"step", summary.step_name}, {"rows", grouped_digits(summary.rows_a_step)}});
    return text + imported::wrapped(filled(texts::legend, {{"unit", rate_unit(summary)}, {"steps", steps}}));
}

namespace {

/// Returns microseconds as seconds: `3,600 s`, `0.25 s`.
std::string seconds_in_words(std::uint64_t microseconds) {
    return grouped_digits(microseconds / 1'000'000) + detail::hundredths_in_words(microseconds) + " s";
}

}  // namespace

std::string duration_in_words(std::uint64_t microseconds) {
    constexpr std::uint64_t second = 1'000'000;
    if (microseconds < 120 * second) return seconds_in_words(microseconds);
    const bool by_day = microseconds >= 1000 * 3600 * second;
    const bool by_hour = microseconds >= 7200 * second;
    const std::uint64_t unit = (by_day ? 86'400 : by_hour ? 3600 : 60) * second;
    std::string text = grouped_digits(microseconds / unit);
    if (const std::uint64_t tenth = microseconds % unit / (unit / 10); tenth != 0) text += "." + std::to_string(tenth);
    return text + (by_day ? " d" : by_hour ? " h" : " min");
}

}  // namespace hbm
