#include "compare/managers/timed/streams.hpp"

#include <hbm/core/memory_spec.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/answers/answers.hpp"
#include "compare/answers/streams/texts.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/errors.hpp"
#include "compare/command_line/file_options.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/lines.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

constexpr std::uint32_t usual_in_flight = 2;  // a run executes, and the next is enqueued
constexpr std::size_t width = 100;

/// The most bytes of a pass. Of 16, 64 and 128 MiB the best on variants of `transformer_training`.
constexpr std::uint64_t pass_bytes = std::uint64_t{64} << 20U;

constexpr std::array<move_choice, 3> choices{
    {{trace::copying::on_compute, 0}, {trace::copying::on_its_own, 0}, {trace::copying::on_its_own, pass_bytes}}};
static_assert(std::size(stream_texts::choices) == choices.size());

std::string time_words(std::uint64_t nanoseconds) {
    const std::uint64_t microseconds = nanoseconds / 1000 + (nanoseconds % 1000 >= 500 ? 1 : 0);
    if (microseconds < 1'000'000) return duration(microseconds);
    return filled(stream_texts::milliseconds, {{"count", grouped((microseconds + 500) / 1000)}});
}

/// Returns the part of the stall of `waiting` that is left, if it has one.
std::string share_of(const stream_figures& figures, const stream_figures& waiting) {
    return waiting.stalled == 0 ? std::string{} : percent(trace::fraction::of(figures.stalled, waiting.stalled));
}

/// Returns the table of the choices. One that stopped early has no figures: they would be of other rows.
std::string table_of(const std::vector<stream_figures>& all) {
    std::vector<table_column> columns{{.title = {}, .cells = {}}};
    for (const std::string_view title :
         {stream_texts::stalled, stream_texts::share, stream_texts::end, stream_texts::evictions, stream_texts::reloads,
          stream_texts::moved, stream_texts::passed})
        columns.push_back({.title = std::string(title), .is_number = true, .cells = {}});
    for (std::size_t at = 0; at < all.size(); ++at) {
        const stream_figures& figures = all[at];
        std::vector<std::string> cells{std::string(stream_texts::choices[at]), std::string(stream_texts::stops)};
        if (figures.error.empty())
            cells = {cells.front(),
                     time_words(figures.stalled),
                     share_of(figures, all.front()),
                     time_words(figures.end),
                     grouped(figures.sums.evictions),
                     time_words(figures.sums.reload_nanoseconds),
                     size_in_words(figures.moved_by_calls),
                     size_in_words(figures.passed)};
        cells.resize(columns.size());
        for (std::size_t column = 0; column < columns.size(); ++column)
            columns[column].cells.push_back({cells[column]});
    }
    return table_lines(columns, painter(false));
}

/// Returns the error of the choice `at` and of those that stop alike; empty if it completes, or an earlier one has it.
std::string error_of(const scenario& scene, const std::vector<stream_figures>& all, std::size_t at) {
    std::string alike;
    for (std::size_t other = 0; other < all.size(); ++other) {
        if (all[other].rows != all[at].rows || all[other].error != all[at].error) continue;
        if (other < at) return {};
        (alike += alike.empty() ? "" : "; ") += stream_texts::choices[other];
    }
    if (all[at].error.empty()) return {};
    const trace::workload& load = scene.load;
    const std::size_t row = all[at].rows;
    const bool has_lines = !load.lines.empty();
    const std::string place = filled(has_lines ? stream_texts::line : stream_texts::row,
                                     {{"workload", load.name},
                                      {"number", std::uint64_t{has_lines ? load.lines[row] : row + 1}},
                                      {"rows", load.rows.size()}});
    return filled(stream_texts::stopped, {{"place", place},
                                          {"capacity", size_in_words(scene.device.capacity)},
                                          {"choices", alike},
                                          {"error", all[at].error}});
}

/// Returns the answer about a workload; empty if no choice completes it. Appends to `errors`.
std::string answer_of(const scenario& scene, std::vector<std::string>& errors) {
    std::vector<stream_figures> all;
    for (const move_choice& choice : choices) all.push_back(measure_streams(scene.load, scene.device, choice));
    for (std::size_t at = 0; at < all.size(); ++at)
        if (const std::string error = error_of(scene, all, at); !error.empty()) errors.push_back(error);
    if (std::none_of(all.begin(), all.end(), [](const stream_figures& figures) { return figures.error.empty(); }))
        return {};
    const std::string in_flight = counted(scene.device.runs_in_flight, "run");
    return filled(stream_texts::heading, {{"workload", scene.title},
                                          {"capacity", size_in_words(scene.device.capacity)},
                                          {"in_flight", in_flight}}) +
           "\n\n" + table_of(all) + "\n";
}

}  // namespace

int tell_streams(const options& settings) {
    if (const std::string problem = find_beside_streams(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    options chosen = settings;
    if (chosen.sources.empty() && chosen.programs.empty())
        for (const std::string_view name : generated_workloads()) chosen.sources.push_back({std::string(name), true});
    if (std::none_of(settings.given.begin(), settings.given.end(),
                     [](const auto& option) { return option.first == "--in-flight"; }))
        chosen.in_flight = usual_in_flight;
    std::vector<scenario> scenarios;
    std::vector<std::string> warnings;
    if (const std::string problem = gather_workloads(chosen, scenarios, warnings); !problem.empty())
        return print_error(with_option(settings, problem), exit_status::invalid);
    print_warnings(settings, warnings);
    std::string tables;
    std::string idle;
    std::vector<std::string> errors;
    for (scenario& scene : scenarios) {
        if (set_durations(scene.load))
            tables += answer_of(scene, errors);
        else
            idle += paragraph({}, filled(stream_texts::no_runs, {{"workload", scene.title}}), width);
    }
    if (!tables.empty())
        tables += paragraph({}, filled(stream_texts::model, {{"pass", size_in_words(pass_bytes)}}), width);
    int status = exit_status::done;
    if (!idle.empty() && !tables.empty()) idle += "\n";
    if (const std::string text = idle + tables; !text.empty()) status = deliver_text(settings, text);
    for (const std::string& error : errors) status = print_error(error, exit_status::failed);
    return status;
}

}  // namespace hbm::compare
