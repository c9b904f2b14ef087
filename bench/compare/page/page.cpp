#include "compare/page/page.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "compare/failures/on_oom.hpp"
#include "compare/managers/default_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/page/assets.hpp"
#include "compare/page/curves.hpp"
#include "compare/page/escape.hpp"
#include "compare/page/matrix.hpp"
#include "compare/page/packed/trace_blocks.hpp"
#include "compare/page/short_tables.hpp"
#include "compare/page/texts.hpp"
#include "compare/replay/history.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/replay/steps.hpp"
#include "compare/tables/records.hpp"
#include "compare/tables/report.hpp"
#include "compare/tables/seed_table.hpp"
#include "compare/text/json_writer.hpp"
#include "compare/texts/recommendation.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

void add_managers(json_writer& json, const selection& who) {
    json.array("managers", who.managers, [&](const manager_entry* entry) { json.value(entry->name); });
    json.array("short_names", who.managers, [&](const manager_entry* entry) { json.value(short_name(*entry)); });
}

void add_cells(json_writer& json, std::size_t workload, const comparison& of, const recorded_workload& recorded) {
    const trace::number_list& times = of.in->load.times;
    const bool has_times = duration_of(of.in->load).has_value();
    json.begin_array("cells");
    std::map<std::string_view, std::size_t> known;
    for (std::size_t at = 0; at < of.cells.size(); ++at) {
        const trace::figures& found = of.cells[at].found;
        json.begin_object();
        json.key("replay");
        const std::string& packed = recorded.cells[at].packed;
        if (packed.empty())
            json.null();
        else
            json.value("cell-" + std::to_string(workload) + "-" +
                       std::to_string(known.emplace(packed, at).first->second));
        json.field("capacity", found.capacity_bytes);
        json.field("failed", found.failed_event);
        json.key("failed_time");
        found.failed_event&& has_times
            ? json.value(times[static_cast<std::size_t>(*found.failed_event)] - times.front())
            : json.null();
        json.field("error", found.error.value_or(""));
        json.field("highest", recorded.cells[at].highest);
        json.end_object();
    }
    json.end_array();
}

/// Adds the ends of the steps that a trace marks, as rows: pairs of a distance to the end before and the number of
/// equal distances. Null for a trace without runs and syncs.
void add_steps(json_writer& json, const trace::workload& load) {
    json.key("steps");
    const trace::trace_steps steps = trace::marked_steps_of(load);
    if (steps.ends.empty()) return json.null();
    json.begin_object();
    json.field("what", steps.how == trace::step_end::run ? "run of a program" : "sync");
    json.begin_array("ends");
    for (std::size_t at = 0, last = 0; at < steps.ends.size();) {
        const std::size_t distance = steps.ends[at] - last;
        std::uint64_t count = 0;
        for (; at < steps.ends.size() && steps.ends[at] - last == distance; ++at, ++count) last = steps.ends[at];
        json.value(std::uint64_t{distance});
        json.value(count);
    }
    json.end_array();
    json.end_object();
}

void add_workloads(json_writer& json, const std::vector<comparison>& all,
                   const std::vector<recorded_workload>& recorded) {
    json.begin_array("workloads");
    for (std::size_t at = 0; at < all.size(); ++at) {
        const scenario& in = *all[at].in;
        json.begin_object();
        json.field("name", in.title);
        json.field("rows", std::uint64_t{in.load.rows.size()});
        json.field("quantum", in.device.quantum);
        json.field("duration", duration_of(in.load));
        json.values("tags", in.load.tags);
        json.array("cell_of", all[at].cell_of, [&](std::size_t cell) { json.value(std::uint64_t{cell}); });
        add_steps(json, in.load);
        add_cells(json, at, all[at], recorded[at]);
        json.end_object();
    }
    json.end_array();
}

std::string text_script(const std::string& id, const std::string& text) {
    return "<script type=\"text/plain\" id=\"" + id + "\">" + text + "</script>\n";
}

}  // namespace

std::string data_html(const std::vector<comparison>& all, const selection& who, const page_answer& answer,
                      const std::vector<recorded_workload>& recorded) {
    json_writer json;
    json.begin_object();
    json.field("schema", "hbm-report/1");
    json.key("best");
    answer.best ? json.value(std::uint64_t{*answer.best}) : json.null();
    json.key("simple");
    answer.simple ? json.value(std::uint64_t{*answer.simple}) : json.null();
    add_managers(json, who);
    add_workloads(json, all, recorded);
    json.literal("results", json_text(all_records(all, who)));
    json.end_object();
    std::string text =
        "<script type=\"application/json\" id=\"report-data\">" + json_in_html(json.text()) + "</script>\n";
    for (std::size_t workload = 0; workload < all.size(); ++workload) {
        const std::string number = std::to_string(workload);
        text += text_script("trace-" + number, recorded[workload].shared);
        std::map<std::string_view, std::size_t> known;
        for (std::size_t at = 0; at < recorded[workload].cells.size(); ++at) {
            const std::string& packed = recorded[workload].cells[at].packed;
            if (!packed.empty() && known.emplace(packed, at).second)
                text += text_script("cell-" + number + "-" + std::to_string(at), packed);
        }
    }
    return text;
}

namespace {

bool is_packed(const scenario& in) {
    return in.load.rows.size() <= max_packed_rows;
}

recording record_cell(const cell& of, const scenario& in, const std::vector<trace_block>& blocks) {
    const std::unique_ptr<trace::replayed_memory> memory = memory_of(of);
    const std::size_t replayed = static_cast<std::size_t>(of.found.failed_event.value_or(in.load.rows.size()));
    // A little more than was replayed, so that the picture shows a failure.
    const std::size_t rows = std::min(in.load.rows.size(), replayed + replayed / 25 + 1);
    const std::optional<std::uint64_t>& capacity = of.found.capacity_bytes;
    replay_picture picture(rows, capacity ? *capacity : of.found.footprint_bytes.value_or(0));
    replay_curves curves(rows);
    recording kept;
    constexpr std::size_t rows_in_memory = 1'000'000;
    trace::record_parts(in.load, *memory, of.spec.quantum, is_packed(in) ? in.load.rows.size() : rows_in_memory,
                        [&](const trace::history& part) {
                            picture.add(part);
                            curves.add(part);
                            if (!is_packed(in)) return;
                            if (const auto packed = packed_history(part, in.load, blocks, of.spec.quantum))
                                kept.packed = base64(zlib_stream(*packed));
                        });
    kept.highest = curves.highest();
    kept.picture = picture.png_file();
    kept.curves = curves.svg(capacity);
    return kept;
}

}  // namespace

recorded_workload record_workload(const comparison& of) {
    const scenario& in = *of.in;
    recorded_workload made;
    std::vector<trace_block> blocks;
    if (is_packed(in)) {
        blocks = trace_blocks(in.load, in.device.quantum);
        made.shared = base64(zlib_stream(packed_trace(in.load, blocks, in.device.quantum)));
    }
    for (const cell& each : of.cells) made.cells.push_back(record_cell(each, in, blocks));
    return made;
}

namespace {

/// The content security policy: the page fetches nothing.
constexpr std::string_view policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

std::string section(const char* id, const std::string& title, const std::string& content, const char* how = "") {
    return "<section id=\"" + std::string(id) + "\"" + how + "><h2>" + title + "</h2>\n" + content + "</section>\n";
}

std::vector<scatter_point> points_of(const comparison& of, const selection& who, std::size_t workload) {
    std::vector<scatter_point> made(of.cells.size());
    for (std::size_t manager = 0; manager < who.managers.size(); ++manager) {
        if (is_second_name(who, manager)) continue;
        const std::size_t cell = of.cell_of[manager];
        scatter_point& point = made[cell];
        const manager_entry& entry = *who.managers[manager];
        if (!point.name.empty()) {
            point.others.emplace_back(short_name(entry));
            continue;
        }
        const trace::figures& found = of.cells[cell].found;
        const std::optional<need> needs = need_of(*of.in, entry, found);
        point = {.name = std::string(short_name(entry)),
                 .others = {},
                 .place = std::to_string(workload) + "." + std::to_string(manager),
                 .bytes = needs ? needs->bytes : 0,
                 .price_us = price_of(found),
                 // A minimum capacity does not compare with footprints.
                 .fails = !found.completed || (of.in->how == limit::unlimited && !found.footprint_bytes)};
    }
    return made;
}

/// Returns the cell whose replay the workload's picture shows: that of the recommended manager, or else of the first.
std::size_t shown_cell(const comparison& of, const page_answer& answer) {
    return of.cell_of[answer.best.value_or(0)];
}

std::string replay_html(const recording& made, const std::string& name) {
    return "<figure class=\"replay\"><figcaption>Memory under " + html_name(name) +
           ": time to the right, addresses upwards, " + size_in_words(made.highest) +
           " at the highest; small blocks are yellow, large ones blue. Below: bytes in use, the highest end and, in "
           "limited "
           "memory, the largest free block (dashed).</figcaption>"
           "<img decoding=\"async\" alt=\"Where blocks lay over time\" src=\"data:image/png;base64," +
           base64(made.picture) + "\">" + made.curves + "</figure>\n";
}

std::string workload_html(const comparison& of, const chapter& told, const selection& who, std::size_t at,
                          const recorded_workload& recorded, const page_answer& answer) {
    const std::size_t cell = shown_cell(of, answer);
    const std::string name(short_name(*who.managers[answer.best.value_or(0)]));
    std::string text = "<article id=\"workload-" + std::to_string(at) + "\"><h3>" + html_text(told.title) + "</h3><p>" +
                       html_text(told.about) + "</p>\n<div class=\"pair\">";
    text += replay_html(recorded.cells[cell], name);
    const limit how = of.in->how;
    text +=
        scatter_html(points_of(of, who, at),
                     how == limit::given ? "Time of moves and reloads; the memory was given, and is the same for all"
                     : how == limit::unlimited ? "Time of moves and reloads against the footprint"
                                               : "Time of moves and reloads against the memory needed",
                     how != limit::given);
    text += "</div>\n<ul class=\"findings\">";
    for (const std::string& finding : told.findings) text += "<li>" + html_text(finding) + "</li>";
    return text + "</ul></article>\n";
}

std::string failures_html(const std::vector<comparison>& all, const selection& who, std::uint64_t effort) {
    std::string text;
    for (const told_failure& each : tell_failures(all, who, effort))
        text += "<details class=\"failure\" id=\"failure-" + std::to_string(each.workload) + "-" +
                std::to_string(each.cell) + "\"><summary>" + html_text(each.title) + "</summary><pre tabindex=\"0\">" +
                html_text(each.text) + "</pre></details>\n";
    return text;
}

std::string head(const std::string& title) {
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + html_text(title) +
           "</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
           std::string(policy) + "\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<style>\n" +
           std::string(report_style()) + "</style></head>\n<body>\n";
}

std::string answer_html(const page_answer& answer, const std::vector<comparison>& all, const selection& who,
                        bool fails) {
    const bool is_sweep = !all.empty() && are_points_of_a_sweep(all.size(), *all.front().in);
    std::string text = "<header><p class=\"kicker\">hbm_compare: " + counted(count_managers(who), "manager") + ", " +
                       workloads_in_words(all.size(), is_sweep) + "</p><h1>" + html_name(answer.sentence) + "</h1>\n";
    return text +
           "<nav aria-label=\"Parts of the report\"><a href=\"#why\">Why</a><a href=\"#matrix\">Matrix</a>"
           "<a href=\"#workloads\">Workloads</a>" +
           (fails ? "<a href=\"#failures\">Failures</a>" : "") +
           "<a href=\"#figures\">All figures</a></nav></header>\n";
}

/// Returns the reasons of the answer, and the type to paste.
std::string why_html(const page_answer& answer) {
    std::string text;
    for (const std::string& each : answer.more) text += "<p>" + html_name(each) + "</p>\n";
    if (!answer.type.empty()) text += "<pre tabindex=\"0\"><code>" + html_text(answer.type) + "</code></pre>\n";
    return text;
}

}  // namespace

std::string html_page(const std::vector<comparison>& all, const selection& who, std::uint64_t effort,
                      const std::optional<partial_result>& cut) {
    page_answer answer = answer_of(all, who);
    if (cut) answer.sentence = interruption_words(*cut) + " " + answer.sentence;
    // In the matrix every manager has a row of its own.
    const report told = make_report(all, who, {.is_wide = true});
    std::vector<recorded_workload> recorded;
    for (const comparison& each : all) recorded.push_back(record_workload(each));
    const std::string failures = failures_html(all, who, effort);

    std::string text = head(answer.sentence) + answer_html(answer, all, who, !failures.empty()) + "<main>\n";
    text += section("map", "Memory over time", "<div id=\"viewer\"></div>\n", " class=\"scripted\"");
    text += section("why", "Why", why_html(answer));
    text += section("matrix", "Every manager on every workload",
                    seeds_html(all, who) + "<div id=\"filters\" class=\"scripted\"></div>\n" +
                        matrix_html(all, who, answer) + names_html(who));
    std::string workloads;
    for (std::size_t at = 0; at < all.size(); ++at)
        workloads += workload_html(all[at], told.chapters[at], who, at, recorded[at], answer);
    text += section("workloads", "The workloads", workloads);
    if (!failures.empty()) text += section("failures", "Failures, and their remedies", failures);
    text += section("figures", "All figures", figures_html(all, who));
    text += "</main>\n" + data_html(all, who, answer, recorded);
    for (const std::string_view script : report_scripts()) text += "<script>\n" + std::string(script) + "</script>\n";
    return text + "</body></html>\n";
}

namespace {

/// Returns a sentence for each workload that no manager completes, one for all its seeds.
void add_impossible(page_answer& into, const std::vector<comparison>& all) {
    for (const seed_group& group : grouped_by_seed(all)) {
        seed_group failing;
        for (const comparison* each : group)
            if (all_fail(*each)) failing.push_back(each);
        if (failing.empty()) continue;
        const scenario& in = *failing.front()->in;
        const bool lacks_memory =
            std::all_of(failing.begin(), failing.end(), [](const comparison* each) { return must_fail(*each->in); });
        const std::string workload =
            failing.size() == 1 ? in.title
                                : filled(page_texts::failing_seeds, {{"workload", title_over_seeds(in)},
                                                                     {"failing", std::uint64_t{failing.size()}},
                                                                     {"seeds", counted(group.size(), "seed")}});
        into.more.push_back(filled(lacks_memory ? page_texts::impossible_in_memory : page_texts::impossible,
                                   {{"workload", workload},
                                    {"need", lacks_memory ? needed_words(failing) : std::string{}},
                                    {"capacity", size_in_words(in.device.capacity)}}));
    }
}

std::optional<std::size_t> index_of(const manager_entry* wanted, const selection& who) {
    const auto known = std::find(who.managers.begin(), who.managers.end(), wanted);
    if (wanted == nullptr || known == who.managers.end()) return std::nullopt;
    return static_cast<std::size_t>(known - who.managers.begin());
}

}  // namespace

page_answer answer_of(const std::vector<comparison>& all, const selection& who) {
    const recommendation made = recommend(all, who);
    page_answer answer;
    answer.best = index_of(made.best.who, who);
    answer.simple = index_of(made.simpler.who, who);
    answer.type = made.type;
    answer.order = ranked_managers(who, made);
    for (std::size_t at = 0; at < who.managers.size(); ++at)
        if (is_second_name(who, at)) answer.order.push_back(at);
    if (answer.best && !made.sentences.empty()) {
        answer.sentence = made.sentences.front();
        answer.more.assign(made.sentences.begin() + 1, made.sentences.end());
    } else if (std::all_of(all.begin(), all.end(),
                           [](const comparison& entry) { return entry.in->load.rows.empty(); })) {
        answer.sentence = made.sentences.front();
    } else {
        answer.sentence = page_texts::no_manager[all.size() == 1 ? 0 : made.is_sweep ? 2 : 1];
    }
    add_impossible(answer, all);
    return answer;
}

}  // namespace hbm::compare
