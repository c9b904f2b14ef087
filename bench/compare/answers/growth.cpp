#include "compare/growth/growth.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "compare/answers/answers.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/read_file.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

/// Returns microseconds in words: "90 s", "3.5 h", "41 d".
std::string duration_in_words(std::uint64_t microseconds) {
    constexpr std::uint64_t second = 1'000'000;
    const auto tenths = [&](std::uint64_t unit, std::string_view name) {
        const std::uint64_t tenth = microseconds / (unit / 10);
        return grouped_digits(tenth / 10) + (tenth % 10 == 0 ? "" : "." + std::to_string(tenth % 10)) +
               std::string(name);
    };
    if (microseconds < 120 * second) return tenths(second, " s");
    if (microseconds < 7200 * second) return tenths(60 * second, " min");
    return microseconds < 1000 * 3600 * second ? tenths(3600 * second, " h") : tenths(86'400 * second, " d");
}

/// A summary in words, and as an answer.
class growth_answer {
public:
    explicit growth_answer(const growth_summary& of) : of_(of), growth_(of.headline()) {}

    [[nodiscard]] answer make() const {
        answer result{"growth"};
        result.headline = headline();
        result.place = of_.source;
        add_facts(result);
        if (verdict() == "growth") add_advice(result);
        if (!of_.tags.empty()) result.tables.push_back(tags());
        return result;
    }

private:
    [[nodiscard]] std::string_view verdict() const {
        if (of_.is_instant || of_.marks_no_steps) return "withheld";
        if (of_.samples < growth_series::fewest) return "too_short";
        if (growth_) return "growth";
        return of_.stopped ? "stopped" : "unproven";
    }

    /// Returns "640 steps", "1 sample".
    [[nodiscard]] std::string seen() const {
        return grouped_digits(of_.samples) + " " + of_.step_name + (of_.samples == 1 ? "" : "s");
    }
    /// Returns a growth in words: "512B a step", "1.50G an hour".
    [[nodiscard]] std::string rate(std::uint64_t micro_bytes_a_step) const {
        const std::string bytes = rate_in_words(of_.micro_rate(micro_bytes_a_step));
        if (of_.unit == growth_unit::times) return bytes + " an hour";
        if (of_.rows_a_step == 0) return bytes + " a " + of_.step_name;
        return bytes + " a " + of_.step_name + " of " + counted(of_.rows_a_step, "row", "rows");
    }
    /// Returns the place of a number or time: "step 840", "3.5 h after the first sample".
    [[nodiscard]] std::string place(std::uint64_t position) const {
        if (of_.unit != growth_unit::times) return of_.step_name + " " + grouped_digits(position);
        if (position <= of_.first) return "the first " + of_.step_name;
        return duration_in_words(position - of_.first) + " after the first " + of_.step_name;
    }
    [[nodiscard]] std::string limit() const {
        return std::string(of_.has_limit ? "bytes_limit" : "the capacity") + " (" + size_in_words(*of_.capacity) + ")";
    }

    [[nodiscard]] std::string headline() const {
        if (of_.is_instant)
            return filled("{bytes} is in use, by these allocation sites. A single moment says nothing about growth.",
                          {{"bytes", size_in_words(of_.end_bytes)}}) +
                   passed();
        if (of_.marks_no_steps)
            return "The file marks no steps: within one step memory rises as it should. Record several, with a sync "
                   "row after each." +
                   passed();
        if (verdict() == "too_short") return of_few();
        if (verdict() == "growth") return of_growth();
        if (verdict() == "stopped")
            return filled("Memory grew by {rate} until about {place}, and has stopped: since then it stays near "
                          "{level}.",
                          {{"rate", rate(of_.stopped->micro_bytes_a_step())},
                           {"place", place(of_.position(of_.stopped->at))},
                           {"level", size_in_words(of_.stopped->floor_bytes)}}) +
                   passed();
        if (!of_.varies)
            return filled("Memory is the same in all {seen}: {bytes}.",
                          {{"seen", seen()}, {"bytes", size_in_words(of_.end_bytes)}}) +
                   passed();
        return filled("No growth is proven in {seen}: memory varies so much that a growth under {rate} would not be "
                      "seen in them.",
                      {{"seen", seen()}, {"rate", rate(of_.visible.value_or(0))}}) +
               passed();
    }

    [[nodiscard]] std::string of_few() const {
        std::string use;
        if (of_.samples != 0 && of_.capacity.value_or(0) != 0)
            use = filled("{bytes} of {capacity} ({share} %) is in use. ",
                         {{"bytes", size_in_words(of_.end_bytes)},
                          {"capacity", size_in_words(*of_.capacity)},
                          {"share", per_cent_of(of_.end_bytes, *of_.capacity)}});
        else if (of_.samples != 0)
            use = size_in_words(of_.end_bytes) + " is in use. ";
        return use + seen() + (of_.samples == 1 ? " is" : " are") + " too few to tell growth from anything else; " +
               std::to_string(growth_series::fewest) + " are the fewest.";
    }

    [[nodiscard]] std::string of_growth() const {
        std::string text = filled(
            "{who} by {rate} {since}.",
            {{"who", of_.growth ? "Memory grows" : subject(*of_.culprit()) + " grow"},
             {"rate", rate(growth_->micro_bytes_a_step())},
             {"since", growth_->since == 0 ? "from the start" : "since " + place(of_.position(growth_->since))}});
        if (!of_.growth) text += " All memory together varies too much to show it.";
        if (of_.growth && of_.culprit() != nullptr)
            text += filled(" {share} % of that is {whose}.",
                           {{"share", per_cent_of(of_.culprit()->micro_rate(), growth_->micro_bytes_a_step())},
                            {"whose", owner(*of_.culprit())}});
        if (of_.finds_steps) text += " Steps were inferred from rows that repeat; a repeated layer looks the same.";
        if (of_.samples < certain_growth_steps) text += " " + seen() + " are few: record more to be sure.";
        if (of_.passed_at) return text + passed();
        if (!of_.capacity) return text + " Pass --capacity (16GiB, v5e) to learn when memory ends.";
        if (growth_->top_bytes >= *of_.capacity)
            return text + filled(" Memory ({capacity}) is full.", {{"capacity", size_in_words(*of_.capacity)}});
        const std::uint64_t end = of_.position(growth_->end_step(*of_.capacity));
        if (of_.unit == growth_unit::times)
            return text + filled(" Memory ({capacity}) is full in about {time}, counted from the last {step}.",
                                 {{"capacity", size_in_words(*of_.capacity)},
                                  {"time", duration_in_words(end - std::min(of_.last, end))},
                                  {"step", of_.step_name}});
        return text + filled(" Memory ({capacity}) is full at about {place}.",
                             {{"capacity", size_in_words(*of_.capacity)}, {"place", place(end)}});
    }

    /// Returns the sentence that the capacity was exceeded; empty if it was not.
    [[nodiscard]] std::string passed() const {
        if (!of_.passed_at) return {};
        if (of_.is_instant || of_.marks_no_steps)
            return filled(" The most is {more} over {limit}.",
                          {{"more", size_in_words(of_.peak_bytes - *of_.capacity)}, {"limit", limit()}});
        return filled(" It passed {limit} at {place}.", {{"limit", limit()}, {"place", place(*of_.passed_at)}});
    }

    static std::uint64_t per_cent_of(std::uint64_t part, std::uint64_t whole) noexcept {
        if (part >= whole) return 100;
        return whole < ~std::uint64_t{0} / 100 ? part * 100 / whole : part / (whole / 100);
    }
    static std::string subject(const tag_growth& tag) {
        if (tag.is_programs) return "Programs";
        if (tag.is_several) return "The other tags";
        return tag.name.empty() ? "Blocks without a tag" : "Blocks of tag '" + tag.name + "'";
    }
    static std::string owner(const tag_growth& tag) {
        if (tag.is_programs) return "programs";
        if (tag.is_several) return "of tags without a row of their own";
        return tag.name.empty() ? "without a tag" : "tag '" + tag.name + "'";
    }

    void add_facts(answer& to) const {
        const auto bytes = [&](std::string_view key, std::string label, std::optional<std::uint64_t> value) {
            to.facts.push_back({key, std::move(label), {value, {}, {}}, false});
        };
        const auto rates = [&](std::string_view key, std::optional<std::uint64_t> micro) {
            to.facts.push_back({key, {}, {{}, micro ? std::optional(of_.micro_rate(*micro)) : std::nullopt, {}}});
        };
        const auto places = [&](std::string_view key, std::optional<std::uint64_t> position) {
            to.facts.push_back({key, {}, {{}, position, {}}});
        };
        const auto step = [&](const std::optional<steady_growth>& growth, std::uint64_t steady_growth::*which) {
            return growth ? std::optional(of_.position((*growth).*which)) : std::nullopt;
        };
        to.facts.push_back({"verdict", {}, {{}, {}, std::string(verdict())}});
        const bool has_history = of_.samples > 1 && !of_.is_instant;
        if (verdict() != "too_short" || of_.peak_bytes > of_.end_bytes)
            bytes("in_use", "in use at the end", of_.end_bytes);
        if (has_history && of_.peak_bytes > of_.end_bytes)
            bytes("peak", "the most, at " + place(of_.peak_at), of_.peak_bytes);
        if (of_.granted_bytes > of_.end_bytes) bytes("granted", "of it in whole quanta", of_.granted_bytes);
        if (of_.is_instant) return;
        to.facts.push_back({"capacity", {}, {of_.capacity, {}, {}}});
        to.facts.push_back({"steps", "seen: " + of_.step_name + "s", {{}, of_.samples, {}}});
        rates("micro_bytes_a_step", growth_ ? std::optional(growth_->micro_bytes_a_step()) : std::nullopt);
        rates("visible_micro_bytes_a_step", of_.visible);
        places("since", step(growth_, &steady_growth::since));
        places("noticed", step(growth_, &steady_growth::noticed));
        places("stopped", step(of_.stopped, &steady_growth::at));
        const bool ends = growth_ && of_.capacity && !of_.passed_at;
        places("end", ends ? std::optional(of_.position(growth_->end_step(*of_.capacity))) : std::nullopt);
        places("passed", of_.passed_at);
    }

    /// Adds what finds the cause of growth.
    void add_advice(answer& to) const {
        if (const tag_growth* const tag = of_.culprit(); tag != nullptr && tag->is_programs) {
            to.remedies.push_back({"Find why programs are loaded and stay: a function that compiles again for each new "
                                   "shape. " +
                                   counted(tag->at_end.count, "program is loaded", "programs are loaded") + "."});
            return;
        } else if (tag != nullptr && tag->at_end.oldest_steps) {
            to.remedies.push_back(
                {filled("Find what keeps blocks {whose}: the oldest is {age} {step}s old, and {count} "
                        "are live.",
                        {{"whose", "of " + owner(*tag)},
                         {"age", grouped_digits(*tag->at_end.oldest_steps)},
                         {"step", of_.step_name},
                         {"count", grouped_digits(tag->at_end.count)}})});
            return;
        }
        to.remedies.push_back({"Find whose memory grows: call `jax.profiler.save_device_memory_profile` twice, some "
                               "hundred steps apart. `pprof -diff_base first.prof second.prof` lists what came in "
                               "between, `hbm_compare second.prof` who holds what."});
        to.remedies.push_back({"What grows is mostly a list of results or losses that are still on the device (keep "
                               "`float(loss)` instead), a function that compiles again for each new shape, or a cache "
                               "without a bound."});
    }

    /// Returns the table of tags. An instant has only present bytes; a trace without steps has no columns that count
    /// them.
    [[nodiscard]] answer_table tags() const {
        const bool has_steps = verdict() == "growth" || verdict() == "stopped" || verdict() == "unproven";
        answer_table table{.key = "tags", .title = {}, .columns = {"tag"}, .rows = {}, .most_rows = 8};
        table.has_names = true;
        if (has_steps) table.columns.insert(table.columns.end(), {"grows_a_step", "since"});
        if (!of_.is_instant) table.columns.emplace_back("most");
        if (!of_.is_instant && !has_steps) table.columns.emplace_back("at_the_peak");
        table.columns.insert(table.columns.end(), {"at_the_end", "blocks"});
        if (has_steps) table.columns.emplace_back("oldest_steps");
        std::vector<const tag_growth*> order;
        for (const tag_growth& tag : of_.tags) order.push_back(&tag);
        if (!has_steps)  // without a verdict, growing tags do not come first
            std::stable_sort(order.begin(), order.end(), [&](const tag_growth* a, const tag_growth* b) {
                return of_.is_instant ? a->at_end.bytes > b->at_end.bytes : a->at_peak.bytes > b->at_peak.bytes;
            });
        for (const tag_growth* const tag : order) {
            std::vector<answer_value> row;
            row.push_back({{},
                           {},
                           tag->is_programs    ? "(programs)"
                           : tag->is_several   ? "(others)"
                           : tag->name.empty() ? "(none)"
                                               : tag->name});
            if (has_steps) {
                const std::uint64_t micro = of_.micro_rate(tag->micro_rate());
                row.push_back({{}, {}, tag->growth ? rate_in_words(micro) : "-"});
                row.push_back({{}, tag->growth ? std::optional(of_.position(tag->growth->since)) : std::nullopt, {}});
            }
            if (!of_.is_instant) row.push_back({tag->most, {}, {}});
            if (!of_.is_instant && !has_steps) row.push_back({tag->at_peak.bytes, {}, {}});
            row.insert(row.end(), {{tag->at_end.bytes, {}, {}}, {{}, tag->at_end.count, {}}});
            if (has_steps) row.push_back({{}, tag->at_end.oldest_steps, {}});
            table.rows.push_back(std::move(row));
        }
        return table;
    }

    const growth_summary& of_;
    std::optional<steady_growth> growth_;
};

std::optional<std::uint64_t> given_capacity(const options& settings) {
    const capacity_choice& capacity = settings.capacities.front();
    if (capacity.what != capacity_choice::kind::given) return std::nullopt;
    return capacity.device.capacity - capacity.device.top_reserved;
}

/// Series of samples of a file.
struct file_samples {
    std::vector<imported::sample_series> series;
    bool is_of_log = false;  ///< lines are not those of a table
};

/// Returns the samples of a file of samples, or of a log. Empty for every other file, and for unreadable files, which
/// are left to the reader of traces.
std::optional<file_samples> samples_of(const std::string& path) {
    std::string text;
    try {
        text = read_text(path);
    } catch (const trace::read_error&) {
        return std::nullopt;
    }
    if (imported::looks_like_samples(text)) return file_samples{imported::read_samples(text, path)};
    file_samples result{imported::series_of_log(text), true};
    return result.series.empty() ? std::nullopt : std::optional(std::move(result));
}

/// Adds the warnings about a series. `path` is of its file; lines of a log are not those of a table.
void warn_about(const imported::sample_series& series, const std::string& path, bool is_of_log,
                std::vector<std::string>& warnings) {
    const auto place = [&](std::size_t line) { return is_of_log ? path : path + ":" + std::to_string(line); };
    if (series.left_out != 0)
        warnings.push_back(path + ": " + counted(series.left_out, "sample", "samples") + " without bytes in use " +
                           (series.left_out == 1 ? "is" : "are") + " left out");
    if (series.back_line != 0)
        warnings.push_back(place(series.back_line) +
                           ": the step or time is before that of the sample above; the samples are put in order. If "
                           "the program began anew there, judge each part by itself");
    if (series.replaced != 0)
        warnings.push_back(
            place(series.again_line) + ": " + counted(series.replaced, "sample has", "samples have") + " the " +
            (series.unit == growth_unit::times ? "time" : "step") + " of another, and the last counts" +
            (series.device.empty() ? ". If they are of several devices, name these in a column `device`" : ""));
}

/// Adds an answer for each device of a file of samples: those after the one that grows most, or is fullest, beside it.
void answer_samples(const std::string& path, const file_samples& from, std::optional<std::uint64_t> capacity,
                    std::vector<answer>& into, std::vector<std::string>& warnings) {
    std::vector<growth_summary> all;
    for (const imported::sample_series& each : from.series) {
        warn_about(each, path, from.is_of_log, warnings);
        all.push_back(imported::growth_of(each, path, capacity));
    }
    if (all.empty()) all.push_back(imported::growth_of({}, path, capacity));
    const auto growth = [](const growth_summary& each) {
        return each.growth ? each.growth->micro_bytes_a_step() : std::uint64_t{0};
    };
    const auto first = std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return growth(a) != growth(b) ? growth(a) < growth(b) : a.end_bytes < b.end_bytes;
    });
    std::rotate(all.begin(), first, first + 1);
    for (const growth_summary& each : all) {
        into.push_back(growth_answer(each).make());
        into.back().is_beside = &each != &all.front();
    }
    if (all.front().step_name == "sample" && all.front().unit == growth_unit::steps && all.front().growth)
        into[into.size() - all.size()].notes.push_back(
            {"The samples are taken to be equally far apart. A column step or time (seconds, or dates) places them."});
}

answer answer_workload(const scenario& in, bool is_generated) {
    std::optional<std::uint64_t> capacity;
    if (in.how == limit::given) capacity = in.device.capacity - in.device.top_reserved;
    growth_summary found = trace::growth_of(in.load, in.device.quantum, capacity);
    if (found.is_instant) {
        // The bytes of the file, rather than those that a manager would grant.
        const std::uint64_t granted = found.end_bytes;
        found = trace::growth_of(in.load, trace::exact_sizes, capacity);
        found.granted_bytes = granted;
    }
    // Generated workloads have many steps, so that equal parts serve as steps; a file may be a single step.
    if (in.load.lines.empty() && is_generated) found.marks_no_steps = false;
    return growth_answer(found).make();
}

}  // namespace

answer answer_growth(const growth_summary& found) {
    return growth_answer(found).make();
}

std::vector<answer> answer_log(const std::string& log, std::optional<std::uint64_t> capacity) {
    const file_samples found{imported::series_of(imported::log_samples(imported::plain_text_of(log))), true};
    std::vector<answer> answers;
    std::vector<std::string> warnings;
    if (!found.series.empty()) answer_samples("", found, capacity, answers, warnings);
    return answers;
}

std::vector<answer> answer_growth(const options& settings, std::vector<std::string>& warnings) {
    std::vector<answer> answers;
    options some = settings;
    const auto answer_some = [&] {
        const std::vector<scenario> scenarios = gather_workloads(some, warnings);
        const bool may_be_generated = settings.sources.empty() || some.sources.front().is_generated;
        for (const scenario& each : scenarios) answers.push_back(answer_workload(each, may_be_generated));
    };
    if (settings.sources.empty()) answer_some();
    for (const source& each : settings.sources) {
        const std::optional<file_samples> samples = each.is_generated ? std::nullopt : samples_of(each.text);
        some.sources = {each};
        try {
            samples ? answer_samples(each.text, *samples, given_capacity(settings), answers, warnings) : answer_some();
        } catch (const usage_error& problem) {
            const std::string_view words = problem.what();
            if (words.find("expected a header row") == std::string_view::npos) throw;
            throw usage_error(std::string(words) +
                              "; samples need a header with bytes_in_use, such as `step,bytes_in_use,bytes_limit`");
        }
    }
    return answers;
}

}  // namespace hbm::compare
