#include "compare/growth/growth.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "compare/answers/answers.hpp"
#include "compare/growth/samples_growth.hpp"
#include "compare/growth/text.hpp"
#include "compare/growth/texts.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/read_file.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

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

/// Returns true if `problem`, of a reader of traces, is about the header row of `path`: its first row.
bool is_about_header(const std::string& problem, const std::string& path) {
    try {
        const std::string text = read_text(path);
        std::string_view rest = text;
        std::size_t line = 0;
        (void)imported::next_line(rest, line);
        return problem.starts_with(trace::printable(path) + ":" + std::to_string(line) + ":");
    } catch (const trace::read_error&) {
        return false;
    }
}

/// Returns a file, with a line of it if known.
std::string place_of(const std::string& path, std::size_t line) {
    return line == 0 ? path : path + ":" + std::to_string(line);
}

/// Returns the warning about samples with equal places.
std::string warning_of_replaced(const std::string& place, const imported::sample_series& series) {
    return filled(series.device.empty() ? growth_texts::replaced : growth_texts::replaced_of_device,
                  {{"place", place},
                   {"samples", counted(series.replaced, "sample has", "samples have")},
                   {"position", series.unit == growth_unit::times ? "time" : "step"}});
}

void judge_samples(const std::string& path, const file_samples& from, const options& settings,
                   std::vector<growth_summary>& into, std::vector<std::string>& warnings) {
    for (const imported::sample_series& each : from.series) {
        if (each.left_out != 0)
            warnings.push_back(filled(each.left_out == 1 ? growth_texts::one_left_out : growth_texts::left_out,
                                      {{"file", path}, {"count", std::uint64_t{each.left_out}}}));
        if (each.back_line != 0)
            warnings.push_back(
                filled(growth_texts::put_in_order, {{"place", place_of(path, from.is_of_log ? 0 : each.back_line)}}));
        if (each.replaced != 0)
            warnings.push_back(warning_of_replaced(place_of(path, from.is_of_log ? 0 : each.again_line), each));
        into.push_back(imported::growth_of(each, path, given_capacity(settings)));
    }
    if (from.series.empty()) into.push_back(imported::growth_of({}, path, given_capacity(settings)));
}

void judge_workload(const scenario& in, bool is_generated, std::vector<growth_summary>& into) {
    std::optional<std::uint64_t> capacity;
    if (in.how == limit::given) capacity = in.device.capacity - in.device.top_reserved;
    into.push_back(trace::growth_of(in.load, in.device.quantum, capacity));
    if (into.back().is_instant) {
        // The bytes of the file, rather than those that a manager would grant.
        const std::uint64_t granted = into.back().end_bytes;
        into.back() = trace::growth_of(in.load, trace::exact_sizes, capacity);
        into.back().granted_bytes = granted;
    }
    // Generated workloads have many steps, so that equal parts serve as steps; a file may be a single step.
    if (in.load.lines.empty() && is_generated) into.back().marks_no_steps = false;
}

}  // namespace

std::vector<growth_summary> judge_growth(const options& settings, std::vector<std::string>& warnings) {
    std::vector<growth_summary> judged;
    options some = settings;
    const auto judge_some = [&] {
        const std::vector<scenario> scenarios = gather_workloads(some, warnings);
        const bool may_be_generated = settings.sources.empty() || some.sources.front().is_generated;
        for (const scenario& each : scenarios) judge_workload(each, may_be_generated, judged);
    };
    if (settings.sources.empty()) judge_some();
    for (const source& each : settings.sources) {
        const std::optional<file_samples> samples = each.is_generated ? std::nullopt : samples_of(each.text);
        some.sources = {each};
        if (samples) {
            judge_samples(each.text, *samples, settings, judged, warnings);
            continue;
        }
        try {
            judge_some();
        } catch (const usage_error& problem) {
            if (each.is_generated || !is_about_header(problem.what(), each.text)) throw;
            throw usage_error(std::string(problem.what()) + std::string(growth_texts::header_of_samples));
        }
    }
    return judged;
}

std::string growth_text(const std::vector<growth_summary>& all) {
    std::string text;
    bool lacks_capacity = false;
    bool lacks_places = false;
    for (const growth_summary& each : all) {
        (text += text.empty() ? "" : "\n") += to_text(each);
        const bool has_verdict = !each.is_instant && !each.marks_no_steps && each.steps >= fewest_growth_steps;
        lacks_places = lacks_places || (has_verdict && each.step_name == "sample" && each.unit == growth_unit::steps);
        lacks_capacity = lacks_capacity || (has_verdict && each.headline() && !each.capacity);
    }
    if (lacks_capacity) text += growth_texts::pass_capacity;
    if (lacks_places) text += "\n" + imported::wrapped(growth_texts::no_places);
    return text;
}

std::string growth_json(const std::vector<growth_summary>& all) {
    std::string text = "{\"schema\":\"hbm-growth/1\",\"series\":[";
    for (const growth_summary& each : all) (text += &each == &all.front() ? "\n" : ",\n") += to_json(each);
    return text + "\n]}\n";
}

}  // namespace hbm::compare
