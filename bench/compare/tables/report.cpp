#include "compare/tables/report.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <tuple>

#include "compare/managers/default_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/tables/offline_report.hpp"
#include "compare/tables/summary.hpp"
#include "compare/tables/texts.hpp"
#include "compare/texts/recommendation.hpp"

namespace hbm::compare {

namespace {

std::string memory_of(const scenario& load) {
    switch (load.how) {
    case limit::unlimited: return std::string(texts::unlimited_memory);
    case limit::minimum:
    case limit::needed: return std::string(texts::minimum_memory);
    case limit::given: break;
    }
    const std::uint64_t capacity = load.device.capacity / load.device.quantum * load.device.quantum;
    return filled(std::string_view(load.device.name) == "custom" ? texts::custom_memory : texts::device_memory,
                  {{"device", std::string(load.device.name)}, {"size", size_in_words(capacity)}});
}

std::string about(const scenario& load) {
    return filled(load.has_programs ? texts::about_programs : texts::about,
                  {{"events", counted(load.load.rows.size(), "event")},
                   {"needed", size_in_words(load.has_programs ? load.min_bytes : load.peak_live_bytes)},
                   {"memory", memory_of(load)},
                   {"quantum", size_in_words(load.device.quantum)}});
}

/// Returns the reason why managers share rows, and the options that separate them.
std::string_view reason_of_shared_rows(const scenario& load) {
    return texts::shared_rows[!load.has_programs ? 0 : !load.has_donations ? 1 : 2][load.how == limit::unlimited];
}

/// Adds that moves are idle in a workload without programs.
void add_idle_moves(std::vector<std::string>& findings, const std::vector<folded_row>& rows) {
    const auto is_idle = [](const folded_row& row) {
        return row.who->moves && row.found->completed && row.found->moves == 0;
    };
    if (std::any_of(rows.begin(), rows.end(), is_idle)) findings.emplace_back(texts::idle_moves);
}

/// Adds that eviction and relief policies are idle if nothing had to give way.
void add_idle_policies(std::vector<std::string>& findings, const scenario& load, const std::vector<folded_row>& rows) {
    if (load.how != limit::given) return;
    if (!load.has_programs) return add_idle_moves(findings, rows);
    std::size_t idle = 0;
    std::uint64_t peak = ~std::uint64_t{0};
    for (const folded_row& row : rows) {
        if (!row.found->completed || !row.who->evicts || row.found->evictions != 0 || row.found->moves != 0) continue;
        idle += 1 + row.others;
        peak = std::min(peak, row.found->peak_live_bytes);
    }
    if (idle < 2 || peak <= load.min_bytes) return;
    const std::uint64_t smaller = (load.min_bytes + peak) / 2 / load.device.quantum * load.device.quantum;
    findings.push_back(
        filled(texts::idle_policies, {{"count", idle}, {"bytes", smaller}, {"size", size_in_words(smaller)}}));
}

bool lacks_programs(const comparison& compared) {
    return !compared.in->has_programs;
}

chapter make_chapter(const comparison& compared, const selection& chosen, const report_layout& layout,
                     std::size_t managers) {
    const scenario& scene = *compared.in;
    const std::vector<folded_row> rows = fold(compared, chosen);
    chapter written{.title = scene.load.name,
                    .about = about(scene),
                    .rows = rows,
                    .columns = {},
                    .findings = make_findings(scene, rows, layout.is_brief),
                    .yardstick = offline_row(compared),
                    .baseline = chosen.managers[chosen.baseline]};
    if (written.yardstick != nullptr)
        written.rows.push_back(
            {.who = &offline_entry, .others = 0, .found = written.yardstick.get(), .is_yardstick = true});
    if (!must_fail(scene)) written.columns = make_columns(compared, written.rows);
    add_idle_policies(written.findings, scene, rows);
    if (rows.size() < managers && !must_fail(scene) && !layout.is_brief)
        written.findings.emplace_back(reason_of_shared_rows(scene));
    if (const std::vector<std::string>& notes = scene.notes; !notes.empty()) {
        written.findings.insert(written.findings.begin(), notes.front());
        written.findings.insert(written.findings.end(), notes.begin() + 1, notes.end());
    }
    if (is_imported(scene))
        written.findings.insert(written.findings.begin(), filled(texts::whole_growth, {{"file", scene.load.name}}));
    return written;
}

/// Returns the chapters, and the findings over all of them.
report make_details(const std::vector<comparison>& all, const selection& chosen, const report_layout& layout) {
    report result;
    const std::size_t managers = count_managers(chosen);
    for (const comparison& compared : all) result.chapters.push_back(make_chapter(compared, chosen, layout, managers));
    if (all.size() > 1) result.findings = make_conclusion(all, chosen);
    for (std::size_t at = 0; at < all.size(); ++at)
        if (std::string note = packing_note(all[at], fold(all[at], chosen)); !note.empty())
            result.chapters[at].findings.push_back(std::move(note));
    std::vector<std::string>& last = all.size() == 1 ? result.chapters.front().findings : result.findings;
    if (layout.is_brief)
        last.emplace_back(std::any_of(all.begin(), all.end(), lacks_programs) ? texts::brief_without_programs
                                                                              : texts::brief);
    return result;
}

}  // namespace

report make_report(const std::vector<comparison>& all, const selection& chosen, const report_layout& layout) {
    report result;
    const recommendation best = recommend(all, chosen);
    selection shown = chosen;
    shown.preferred = best.best.who;
    if (all.size() < 2 || layout.has_details) result = make_details(all, shown, layout);
    add_summary(result, all, chosen, best, layout);
    result.names = names_explained(chosen);
    if (count_managers(chosen) > 1) result.answer = best.sentences;
    return result;
}

std::string folded_row::label() const {
    return group_name(short_name(*who), others);
}

std::optional<std::uint64_t> folded_row::minimum() const {
    return found->completed ? found->min_capacity_bytes : std::nullopt;
}

std::optional<std::uint64_t> folded_row::footprint() const {
    return found->completed ? found->footprint_bytes : std::nullopt;
}

std::vector<folded_row> fold(const comparison& compared, const selection& chosen) {
    std::vector<folded_row> rows(compared.cells.size());
    for (std::size_t at = 0; at < chosen.managers.size(); ++at) {
        folded_row& row = rows[compared.cell_of[at]];
        if (row.who == nullptr) {
            row.who = chosen.managers[at];
            row.found = &compared.of(at);
            continue;
        }
        if (!same_manager(*row.who, *chosen.managers[at])) ++row.others;
        const bool is_led = row.who == chosen.managers[chosen.baseline];
        if (at == chosen.baseline || (!is_led && chosen.managers[at] == chosen.preferred))
            row.who = chosen.managers[at];
    }
    const bool is_unlimited = compared.in->how == limit::unlimited;
    const auto rank = [&](const folded_row& row) {
        const trace::figures& figures = *row.found;
        const bool has_footprint = row.footprint().has_value();
        const std::optional<std::uint64_t> bytes = is_unlimited && has_footprint ? row.footprint() : row.minimum();
        return std::tuple(!figures.completed, ~figures.failed_event.value_or(0), is_unlimited && !has_footprint,
                          bytes.value_or(0), figures.move_us + figures.reload_us,
                          figures.fragmentation_mean.value_or(trace::fraction{}));
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const folded_row& a, const folded_row& b) { return rank(a) < rank(b); });
    const auto known = std::find_if(rows.begin(), rows.end(),
                                    [](const folded_row& row) { return row.who->name == runtime_manager.name; });
    if (compared.in->has_programs && known != rows.end()) std::rotate(rows.begin(), known, known + 1);
    return rows;
}

}  // namespace hbm::compare
