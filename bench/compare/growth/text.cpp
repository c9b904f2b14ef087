#include "compare/growth/text.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/growth/growth.hpp"
#include "compare/text/text.hpp"

namespace hbm {

namespace {

/// Returns the unit of the rate: "a run", "a step", "a step of 23 rows", "an hour".
std::string per_step(const growth_summary& of) {
    if (of.unit == growth_unit::times) return "an hour";
    std::string text = "a " + of.step_name;
    if (of.rows_a_step != 0) text += " of " + grouped_digits(of.rows_a_step) + " rows";
    return text;
}

/// Returns the place of a step: "step 840", "3.5 h after the first sample".
std::string place_in_words(const growth_summary& of, std::uint64_t step) {
    const std::uint64_t position = of.position(step);
    if (of.unit != growth_unit::times) return of.step_name + " " + grouped_digits(position);
    const std::uint64_t first = of.position(0);
    if (position <= first) return "the first " + of.step_name;
    return duration_in_words(position - first) + " after the first " + of.step_name;
}

std::string name_in_words(const tag_growth& of) {
    if (of.is_programs) return "programs";
    if (of.is_several) return "the other tags";
    return of.name.empty() ? "blocks without a tag" : "tag '" + of.name + "'";
}

std::string time_left_in_words(const growth_summary& of, std::uint64_t step) {
    const std::uint64_t last = of.position(of.steps);
    return duration_in_words(of.position(step) - std::min(last, of.position(step)));
}

/// Returns the range of steps at which memory ends, if it differs by more than a tenth of the time left; else empty.
/// Few leaked blocks allow nothing more precise: for n blocks that leak at random, the relative error is 1 / sqrt(n).
std::string range_in_words(const growth_summary& of, const growth_forecast& growth) {
    const std::uint64_t end = growth.end_step(*of.capacity);
    // A forecast end is not earlier than the last step.
    const std::uint64_t first = std::max(growth.earliest_end_step(*of.capacity), std::min(of.steps, end));
    const std::uint64_t last = growth.latest_end_step(*of.capacity);
    const std::uint64_t tenth = (end - std::min(of.steps, end)) / 10;
    const auto is_near = [&](std::uint64_t step) { return std::max(step, end) - std::min(step, end) <= tenth; };
    if (is_near(first) && is_near(last)) return {};
    const bool is_timed = of.unit == growth_unit::times;
    const auto words = [&](std::uint64_t step) {
        return is_timed ? time_left_in_words(of, step) : grouped_digits(of.position(step));
    };
    if (last != ~std::uint64_t{0}) return " (between " + words(first) + " and " + words(last) + ")";
    std::string text = is_timed ? " (at the earliest in " : " (at the earliest at ";
    text += words(first);
    text += ", perhaps much later)";
    return text;
}

/// Returns the end of memory with eviction of programs that do not run. Empty unless it is later by a tenth of the time
/// left or more.
std::string evicting_in_words(const growth_summary& of, const growth_forecast& growth) {
    if (!of.evicting || of.evicting->top_bytes >= *of.capacity) return {};
    const std::uint64_t end = of.passed_step ? *of.passed_step : growth.end_step(*of.capacity);
    const std::uint64_t later = of.evicting->end_step(*of.capacity);
    if (later <= end || (later - end) * 10 < end - std::min(of.steps, end)) return {};
    const std::string words =
        of.unit == growth_unit::times ? "in " + time_left_in_words(of, later) : "at " + place_in_words(of, later);
    return "; if programs that do not run are evicted, it is full " + words;
}

/// Returns the end of memory, past or forecast, with the full stop.
std::string end_in_words(const growth_summary& of, const growth_forecast& growth) {
    if (!of.capacity) return "the capacity is not known.";
    const std::string size = size_in_words(*of.capacity);
    if (of.passed_step) {
        const std::string what = of.has_tags ? "live bytes" : "bytes_in_use";
        const std::string whole = of.has_limit ? "bytes_limit" : "the capacity";
        return what + " passed " + whole + " (" + size + ") at " + place_in_words(of, *of.passed_step) +
               (of.has_tags ? "; at the end they are " : "; the last sample is ") + size_in_words(of.end_bytes) +
               evicting_in_words(of, growth) + ".";
    }
    const std::string memory = "memory (" + size + ") is full";
    if (growth.top_bytes >= *of.capacity) return memory + ".";
    const std::uint64_t step = growth.end_step(*of.capacity);
    if (of.unit != growth_unit::times)
        return memory + " at " + place_in_words(of, step) + range_in_words(of, growth) + evicting_in_words(of, growth) +
               ".";
    return memory + " in " + time_left_in_words(of, step) + range_in_words(of, growth) + ", counted from the last " +
           of.step_name + ".";
}

/// Returns a sentence about the time without samples; empty if it makes no difference.
std::string gap_in_words(const growth_summary& of) {
    if (!of.gap) return {};
    return " From " + place_in_words(of, of.gap->begin) + " to " + place_in_words(of, of.gap->end) + " there are no " +
           of.step_name + "s: memory rose by " + size_in_words(of.gap->risen_bytes) +
           " in between, steadily or at once.";
}

/// Returns a sentence about the jump; empty if there is none.
std::string jump_in_words(const growth_summary& of) {
    if (!of.jump) return {};
    return " At " + place_in_words(of, of.jump->step) + " it rose by " + size_in_words(of.jump->risen_bytes) +
           " at once, which is not counted as growth.";
}

/// Returns the excess of the peak: ", which is 4.25G more than the capacity (15.75G)"; else empty.
std::string excess_in_words(const growth_summary& of) {
    if (!of.capacity || of.peak_bytes <= *of.capacity) return {};
    return ", which is " + size_in_words(of.peak_bytes - *of.capacity) + " more than " +
           (of.has_limit ? "bytes_limit" : "the capacity") + " (" + size_in_words(*of.capacity) + ")";
}

/// Returns "Memory does not grow in 640 steps", or, if that is not certain, its rise. Then follow `joint` and `after`,
/// which begins with a capital if it is a sentence of its own.
std::string no_growth_in_words(const growth_summary& of, const char* joint, std::string after) {
    const std::string steps = grouped_digits(of.seen()) + " " + of.step_name + "s";
    if (!of.is_unproven()) return "Memory does not grow in " + steps + joint + after;
    if (after.front() >= 'a' && !after.starts_with("bytes_"))
        after.front() = static_cast<char>(after.front() - ('a' - 'A'));
    return "No steady growth is proven in " + steps + ", but memory ends " +
           size_in_words(of.rise->ended_bytes - of.rise->began_bytes) + " higher than it began, at " +
           size_in_words(of.rise->ended_bytes) + "; record more steps to decide. " + after;
}

/// Returns the sentence on the bytes in use at the last sample; empty without one, and for traces, which have a table.
std::string use_in_words(const growth_summary& of) {
    if (of.seen() == 0 || of.has_tags) return {};
    std::string text = size_in_words(of.end_bytes);
    if (of.capacity && *of.capacity != 0)
        text += " of " + size_in_words(*of.capacity) + " (" + std::to_string(percent_of(of.end_bytes, *of.capacity)) +
                " %)";
    text += " is in use";
    if (of.peak_bytes > of.end_bytes) text += ", at most it was " + size_in_words(of.peak_bytes);
    return text + ". ";
}

std::string growth_sentence(const growth_summary& of, const growth_forecast& growth) {
    const tag_growth* const culprit = of.culprit();
    std::string text = of.growth || culprit == nullptr ? "Memory" : name_in_words(*culprit);
    if (text.front() >= 'a') text.front() = static_cast<char>(text.front() - ('a' - 'A'));
    const bool is_plural = !of.growth && culprit != nullptr && !(culprit->name.size() != 0);
    text += is_plural ? " grow by " : " grows by ";
    text += rate_in_words(of.micro_rate(growth)) + " " + per_step(of);
    text += growth.since == 0 ? std::string(" from the start") : " since " + place_in_words(of, growth.since);
    if (of.growth && culprit != nullptr) {
        text += "; " + name_in_words(*culprit);
        const bool many = culprit->is_programs || culprit->is_several || culprit->name.empty();
        if (culprit->growth)
            text += (many ? " hold " : " holds ") +
                    std::to_string(percent_of(of.micro_rate(*culprit->growth), of.micro_rate(growth))) + " % of it";
        else
            text += (many ? " have risen most, by " : " has risen most, by ") + size_in_words(culprit->risen_bytes);
    } else if (!of.growth) {
        const bool is_lost = culprit != nullptr && culprit->risen_bytes < of.varied_bytes;
        // Visible growth is reported: a tag may hold much, and all together vary by more.
        if (is_lost && culprit->risen_bytes >= of.varied_bytes / 4)
            text += "; it has risen by " + size_in_words(culprit->risen_bytes) + ", all memory together varies by " +
                    size_in_words(of.varied_bytes);
        else
            text += is_lost ? "; the rise is too small to show in all memory together"
                            : "; all memory together does not grow steadily";
    }
    if (of.finds_steps) text += " (steps were inferred from repeating rows; a repeated layer looks the same)";
    if (of.seen() < certain_growth_steps)
        text += " (with little certainty: " + grouped_digits(of.seen()) + " " + of.step_name + "s are few)";
    return text + "; " + end_in_words(of, growth) + (of.growth ? jump_in_words(of) : "") + gap_in_words(of);
}

/// Returns the rows of the table of tags, at most `most` and the header. An instant has only present bytes; a trace
/// without marked steps has no columns that count steps.
std::vector<std::vector<std::string>> table_of(const growth_summary& of, std::size_t most) {
    const bool has_steps = !of.is_instant && !of.marks_no_steps;
    std::vector<std::vector<std::string>> lines;
    if (of.is_instant)
        lines.push_back({"tag", "bytes", "blocks"});
    else if (!has_steps)
        lines.push_back({"tag", "most", "at the peak", "blocks", "at the end", "blocks"});
    else
        lines.push_back(
            {"tag", "grows", "since", "most", "at the peak", "blocks", "oldest", "at the end", "blocks", "oldest"});
    std::vector<const tag_growth*> order;
    for (const tag_growth& each : of.tags) order.push_back(&each);
    if (!has_steps)  // without certainty, growing tags do not come first
        std::sort(order.begin(), order.end(), [&](const tag_growth* a, const tag_growth* b) {
            const std::uint64_t left = of.is_instant ? a->at_end.bytes : a->at_peak.bytes;
            const std::uint64_t right = of.is_instant ? b->at_end.bytes : b->at_peak.bytes;
            return left != right ? left > right : a < b;  // ties keep the order of the list
        });
    for (const tag_growth* const each : order) {
        if (lines.size() > most) break;
        lines.push_back({each->is_programs    ? "(programs)"
                         : each->is_several   ? "(others)"
                         : each->name.empty() ? "(none)"
                                              : each->name});
        std::vector<std::string>& cells = lines.back();
        if (has_steps) {
            cells.push_back(each->growth ? rate_in_words(of.micro_rate(*each->growth)) : "-");
            cells.push_back(each->growth ? grouped_digits(of.position(each->growth->since)) : "-");
        }
        if (!of.is_instant) cells.push_back(size_in_words(each->most));
        for (const tag_moment* moment : {&each->at_peak, &each->at_end}) {
            if (of.is_instant && moment == &each->at_peak) continue;
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

std::string sentence(const growth_summary& of) {
    if (of.is_instant) {
        const std::string text = "Memory in use, by allocation site: " + size_in_words(of.end_bytes) + " in all.";
        const std::string granted = size_in_words(of.granted_bytes);
        if (of.granted_bytes <= of.end_bytes || granted == size_in_words(of.end_bytes)) return text;
        return text + " In whole quanta, as a manager grants them, it is " + granted + ".";
    }
    if (of.marks_no_steps)
        return "The file marks no steps: within one step rising is normal; record several steps (record_torch.py, "
               "record_jax.py). The most is " +
               size_in_words(of.peak_bytes) + excess_in_words(of) + (excess_in_words(of).empty() ? ", at" : "; at") +
               " the end " + size_in_words(of.end_bytes) + " is live.";
    if (of.seen() < fewest_growth_steps)
        return use_in_words(of) + grouped_digits(of.seen()) + " " + of.step_name + (of.seen() == 1 ? " is" : "s are") +
               " too few to tell growth from anything else; " + std::to_string(fewest_growth_steps) +
               " are the fewest.";
    if (const std::optional<growth_forecast> growth = of.headline()) return growth_sentence(of, *growth);
    const std::string more = jump_in_words(of) + gap_in_words(of);
    if (of.passed_step && !of.has_tags) return no_growth_in_words(of, ", but ", end_in_words(of, {})) + more;
    if (of.spike) {
        const std::string excess = excess_in_words(of);
        return no_growth_in_words(of, ", but ",
                                  place_in_words(of, of.spike->step) + " needed " + size_in_words(of.spike->bytes) +
                                      excess + (excess.empty() ? ", all" : "; all") + " others at most " +
                                      size_in_words(of.spike->usual_bytes) + ".") +
               more;
    }
    return no_growth_in_words(of, "; ",
                              "the most is " + size_in_words(of.peak_bytes) + ", at " +
                                  place_in_words(of, of.peak_step) + excess_in_words(of) + ".") +
           more;
}

std::string to_text(const growth_summary& of, std::size_t most) {
    std::string text = of.source.empty() ? "" : of.source + ": ";
    text = imported::wrapped(text + sentence(of));
    if (!of.has_tags || of.tags.empty()) return text;
    const std::vector<std::vector<std::string>> lines = table_of(of, most);
    text += "\n";
    text += imported::aligned(lines);
    if (of.tags.size() > most) text += "and " + grouped_digits(of.tags.size() - most) + " more\n";
    if (of.is_instant || of.marks_no_steps) return text;
    const std::string unit =
        of.rows_a_step != 0 ? "steps of " + grouped_digits(of.rows_a_step) + " rows" : of.step_name + "s";
    return text +
           imported::wrapped("grows: bytes " + per_step(of) + "; oldest: how many " + unit + " ago it was allocated");
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
