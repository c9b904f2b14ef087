#include "compare/page/page.hpp"

#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <memory>

#include "compare/failures/on_oom.hpp"
#include "compare/managers/default_managers.hpp"
#include "compare/page/columns.hpp"
#include "compare/replay/history.hpp"
#include "compare/replay/steps.hpp"
#include "compare/tables/records.hpp"
#include "compare/tables/report.hpp"
#include "compare/text/json_writer.hpp"
#include "compare/texts/recommendation.hpp"

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

std::optional<std::size_t> index_of(const manager_entry* wanted, const selection& who) {
    const auto known = std::find(who.managers.begin(), who.managers.end(), wanted);
    if (wanted == nullptr || known == who.managers.end()) return std::nullopt;
    return static_cast<std::size_t>(known - who.managers.begin());
}

void add_optional(json_writer& json, std::string_view name, const std::optional<std::size_t>& number) {
    json.key(name);
    number ? json.value(std::uint64_t{*number}) : json.null();
}

void add_answer(json_writer& json, const recommendation& advice, const selection& who,
                const std::optional<partial_result>& cut) {
    json.begin_array("answer");
    if (cut) json.value(interruption_words(*cut));
    for (const std::string& sentence : advice.sentences) json.value(sentence);
    json.end_array();
    json.field("type", advice.type);
    add_optional(json, "best", index_of(advice.best.who, who));
    add_optional(json, "simple", index_of(advice.simpler.who, who));
    json.array("order", ranked_managers(who, advice), [&](std::size_t manager) { json.value(std::uint64_t{manager}); });
    json.array("managers", who.managers, [&](const manager_entry* entry) { json.value(entry->name); });
    json.array("moves", who.managers, [&](const manager_entry* entry) { json.value(entry->moves); });
    json.array("short_names", who.managers, [&](const manager_entry* entry) { json.value(short_name(*entry)); });
}

void add_workload(json_writer& json, const comparison& of, const std::vector<std::string>& findings,
                  const std::vector<std::size_t>& maps) {
    const scenario& in = *of.in;
    json.begin_object();
    json.field("name", in.title);
    json.field("rows", std::uint64_t{in.load.rows.size()});
    json.field("quantum", in.device.quantum);
    json.field("min_bytes", in.min_bytes);
    json.field("duration", duration_of(in.load));
    json.values("tags", in.load.tags);
    json.values("findings", findings);
    json.field("step", trace::marked_steps_of(in.load).how == trace::step_end::run ? "run of a program" : "sync");
    json.array("cell_of", of.cell_of, [&](std::size_t cell) { json.value(std::uint64_t{cell}); });
    json.array("maps", maps, [&](std::size_t manager) { json.value(std::uint64_t{manager}); });
    json.end_object();
}

/// Returns the managers whose replays of a workload the page shows as maps, at most four with a cell of their own: the
/// recommended one, that of the runtime or else best fit, those that fail, and others as they are ranked.
std::vector<std::size_t> mapped_managers(const comparison& of, const selection& who,
                                         const std::vector<std::size_t>& ranked) {
    std::vector<std::size_t> result;
    if (of.in->load.rows.size() > most_rows) return result;
    const auto add = [&](std::size_t manager) {
        const bool is_shown = std::any_of(result.begin(), result.end(),
                                          [&](std::size_t shown) { return of.cell_of[shown] == of.cell_of[manager]; });
        if (!is_shown && result.size() < most_maps) result.push_back(manager);
    };
    if (!ranked.empty()) add(ranked.front());
    for (const std::string_view baseline : {"tpu::runtime_memory", "best_fit"})
        for (std::size_t at = 0; at < who.managers.size(); ++at)
            if (who.managers[at]->name == baseline && result.size() < 2) add(at);
    for (std::size_t at = 0; at < who.managers.size(); ++at)
        if (!of.of(at).completed) add(at);
    for (const std::size_t at : ranked) add(at);
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

std::string html_page(const std::vector<comparison>& all, const selection& who,
                      const std::optional<partial_result>& cut) {
    const recommendation advice = recommend(all, who);
    const std::vector<std::size_t> ranked = ranked_managers(who, advice);
    const report told = make_report(all, who, {.has_details = true});
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-report/2");
    add_answer(json, advice, who, cut);
    std::string parts;
    json.begin_array("workloads");
    for (std::size_t at = 0; at < all.size(); ++at) {
        const scenario& in = *all[at].in;
        const std::vector<std::size_t> maps = mapped_managers(all[at], who, ranked);
        add_workload(json, all[at], told.chapters[at].findings, maps);
        if (!maps.empty()) parts += packed_part("workload-" + std::to_string(at), packed_workload(in.load));
        for (const std::size_t manager : maps) {
            const cell& taken = all[at].cells[all[at].cell_of[manager]];
            const std::unique_ptr<trace::replayed_memory> memory = memory_of(taken);
            const trace::history made = trace::record_history(in.load, *memory, taken.spec.quantum);
            parts += packed_part(map_id(at, manager), packed_history(made, taken.spec.quantum));
        }
    }
    json.end_array();
    json.begin_array("failures");
    for (const told_failure& each : tell_failures(all, who)) {
        json.begin_object();
        json.field("workload", std::uint64_t{each.workload});
        json.field("cell", std::uint64_t{each.cell});
        json.field("title", each.title);
        json.field("text", each.text);
        json.end_object();
    }
    json.end_array();
    json.literal("results", json_text(all_records(all, who)));
    json.end_object();
    std::string scripts;
    for (const std::string_view script : report_scripts()) scripts += script;
    return filled(document, {{"style", std::string(report_style())},
                             {"data", json_in_html(json.text())},
                             {"parts", parts},
                             {"scripts", scripts}});
}

}  // namespace hbm::compare
