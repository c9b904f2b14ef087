#include "compare/page/page.hpp"

#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <memory>

#include "compare/failures/on_oom.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/managers/shipped.hpp"
#include "compare/page/columns.hpp"
#include "compare/replay/history.hpp"
#include "compare/replay/steps.hpp"
#include "compare/show/recommendation.hpp"
#include "compare/show/records.hpp"
#include "compare/show/result_text.hpp"
#include "compare/show/show_answer.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm::compare {

namespace {

constexpr std::size_t most_maps = 4;
/// Limit on the rows of a workload with maps: a browser paints these at once.
constexpr std::size_t most_rows = 1'000'000;

/// The content security policy lets the page fetch nothing.
constexpr std::string_view document = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>hbm_compare</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<style>
{style}</style></head>
<body><main id="report"></main><noscript>A script draws this page.</noscript>
<script type="application/json" id="report-data">{data}</script>
{parts}<script>
"use strict";
{scripts}openReport(document, document.getElementById("report"));
</script></body></html>
)";

std::string map_id(std::size_t workload, std::size_t manager) {
    return "map-" + std::to_string(workload) + "-" + std::to_string(manager);
}

void add_managers(json_writer& json, const selection& who) {
    json.array("managers", who.managers, [&](const manager_entry* entry) { json.value(entry->name); });
    json.array("moves", who.managers, [&](const manager_entry* entry) { json.value(entry->moves); });
    json.array("short_names", who.managers, [&](const manager_entry* entry) { json.value(short_name(*entry)); });
    json.begin_array("order");
    for (std::size_t at = 0; at < who.managers.size(); ++at)
        if (!is_second_name(who, at)) json.value(std::uint64_t{at});
    json.end_array();
}

void add_workload(json_writer& json, const comparison& of, const selection& who, const std::vector<std::size_t>& maps) {
    const std::optional<std::size_t> best = choose(of, who).best;
    const scenario& in = *of.in;
    json.begin_object();
    json.field("name", in.title);
    json.field("rows", std::uint64_t{in.load.rows.size()});
    json.field("quantum", in.device.quantum);
    json.field("min_bytes", in.min_bytes);
    json.field("duration", duration_of(in.load));
    json.values("tags", in.load.tags);
    json.values("findings", findings(of, who));
    json.field("best", best ? std::optional<std::uint64_t>(*best) : std::nullopt);
    json.field("step", trace::marked_steps_of(in.load).how == trace::step_end::run ? "run of a program" : "sync");
    json.array("cell_of", of.cell_of, [&](std::size_t cell) { json.value(std::uint64_t{cell}); });
    json.array("maps", maps, [&](std::size_t manager) { json.value(std::uint64_t{manager}); });
    json.end_object();
}

/// Returns the managers whose replays of a workload the page shows as maps, at most four with a cell of their own: the
/// recommended one, that of the runtime or else best fit, those that fail, and others as they are ranked.
std::vector<std::size_t> mapped_managers(const comparison& of, const selection& who) {
    std::vector<std::size_t> result;
    if (of.in->load.rows.size() > most_rows) return result;
    const choice chosen = choose(of, who);
    const auto add = [&](std::size_t manager) {
        const bool is_shown = std::any_of(result.begin(), result.end(),
                                          [&](std::size_t shown) { return of.cell_of[shown] == of.cell_of[manager]; });
        if (!is_shown && result.size() < most_maps) result.push_back(manager);
    };
    if (chosen.best) add(*chosen.best);
    for (const std::string_view baseline : {"tpu::runtime_memory", "best_fit"})
        for (std::size_t at = 0; at < who.managers.size(); ++at)
            if (who.managers[at]->name == baseline && result.size() < 2) add(at);
    for (std::size_t at = 0; at < who.managers.size(); ++at)
        if (!of.of(at).completed) add(at);
    for (const std::size_t at : chosen.ranked) add(at);
    return result;
}

}  // namespace

std::string json_in_html(std::string_view json) {
    std::string made;
    for (const char each : json) {
        if (each == '<')
            made += "\\u003c";
        else if (each == '>')
            made += "\\u003e";
        else if (each == '&')
            made += "\\u0026";
        else
            made += each;
    }
    return made;
}

std::string html_page(const result& of) {
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-report/3");
    const answer advice = recommendation(of);
    json.literal("answer", answer_json({&advice, 1}));
    add_managers(json, of.who);
    std::string parts;
    json.begin_array("workloads");
    for (std::size_t at = 0; at < of.workloads.size(); ++at) {
        const comparison& on = of.workloads[at];
        const std::vector<std::size_t> maps = mapped_managers(on, of.who);
        add_workload(json, on, of.who, maps);
        if (!maps.empty()) parts += packed_part("workload-" + std::to_string(at), packed_workload(on.in->load));
        for (const std::size_t manager : maps) {
            const cell& taken = on.cells[on.cell_of[manager]];
            const std::unique_ptr<trace::replayed_memory> memory = memory_of(taken);
            const trace::history made = trace::record_history(on.in->load, *memory, taken.spec.quantum);
            parts += packed_part(map_id(at, manager), packed_history(made, taken.spec.quantum));
        }
    }
    json.end_array();
    json.begin_array("failures");
    for (const told_failure& each : tell_failures(of.workloads, of.who)) {
        json.begin_object();
        json.field("workload", std::uint64_t{each.workload});
        json.field("cell", std::uint64_t{each.cell});
        json.field("title", each.title);
        json.field("text", each.text);
        json.end_object();
    }
    json.end_array();
    json.literal("results", result_json(of));
    json.end_object();
    std::string scripts;
    for (const std::string_view script : report_scripts()) scripts += script;
    return filled(document, {{"style", std::string(report_style())},
                             {"data", json_in_html(json.text())},
                             {"parts", parts},
                             {"scripts", scripts}});
}

}  // namespace hbm::compare
