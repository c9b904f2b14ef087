#include "compare/tables/report.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <tuple>

#include "compare/managers/default_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/offline_report.hpp"
#include "compare/texts/luck_words.hpp"
#include "compare/texts/recommendation.hpp"

namespace hbm::compare {

namespace {

std::string memory_words(const scenario& in) {
    switch (in.how) {
    case limit::unlimited: return "unlimited memory";
    case limit::minimum: return "each manager at its minimum capacity";
    case limit::needed: return "each manager at its minimum capacity";
    case limit::given: break;
    }
    const std::string size = size_in_words(in.device.capacity / in.device.quantum * in.device.quantum);
    const std::string_view name = in.device.name;
    return name == "custom" ? "a memory of " + size : "a " + std::string(name) + " with " + size;
}

std::string about_words(const scenario& in) {
    return counted(in.load.rows.size(), "event") + ", " + (in.has_programs ? "never less than " : "") +
           size_in_words(in.min_bytes) + (in.has_programs ? " needed" : " live at the peak") + ", " + memory_words(in) +
           ", quantum " + size_in_words(in.device.quantum);
}

/// Returns the reason why managers share rows, and the options that separate them.
std::string folding_words(const scenario& in) {
    std::string words = "Managers that cannot differ here share a row: ";
    std::string remedy;
    const bool is_unlimited = in.how == limit::unlimited;
    if (!in.has_programs) {
        words += "without programs there is nothing to evict or donate";
        if (is_unlimited) words += ", and where memory never runs out nothing moves";
        remedy = "in a trace with rows `load` and `run` they can";
    } else {
        if (!in.has_donations) {
            words += "nothing is donated";
            remedy = "in a trace whose runs donate inputs they can";
        }
        if (is_unlimited)
            words += std::string(in.has_donations ? "" : ", and ") +
                     "where memory never runs out nothing is evicted or moved";
    }
    if (is_unlimited)
        remedy += (remedy.empty() ? "" : ", or ") + std::string("in limited memory they can: --capacity min");
    return words + (remedy.empty() ? "" : "; ") + remedy + ". --wide gives each its own row.";
}

/// Adds that moves are idle in a workload without programs.
void add_idle_moves(std::vector<std::string>& into, const std::vector<folded_row>& rows) {
    const auto is_idle = [](const folded_row& row) {
        return row.who->moves && row.found->completed && row.found->moves == 0;
    };
    if (std::any_of(rows.begin(), rows.end(), is_idle))
        into.push_back(
            "Nothing had to be moved, so managers that may move blocks do not differ from those that may not. To "
            "see them differ: --capacity min, which shows what each needs.");
}

/// Adds that eviction and relief policies are idle if nothing had to give way.
void add_idle_policies(std::vector<std::string>& into, const scenario& in, const std::vector<folded_row>& rows) {
    if (in.how != limit::given) return;
    if (!in.has_programs) return add_idle_moves(into, rows);
    std::size_t idle = 0;
    std::uint64_t peak = ~std::uint64_t{0};
    for (const folded_row& row : rows) {
        if (!row.found->completed || !row.who->evicts || row.found->evictions != 0 || row.found->moves != 0) continue;
        idle += 1 + row.others;
        peak = std::min(peak, row.found->peak_live_bytes);
    }
    if (idle < 2 || peak <= in.min_bytes) return;
    const std::uint64_t smaller = (in.min_bytes + peak) / 2 / in.device.quantum * in.device.quantum;
    into.push_back(std::to_string(idle) + " managers never had to move or evict, so their policies made no " +
                   "difference. To see one, try --capacity " + std::to_string(smaller) + " (" + size_in_words(smaller) +
                   ").");
}

/// Returns a row for each manager, in the order of the folded rows.
std::vector<folded_row> unfold(const comparison& of, const selection& who) {
    std::vector<folded_row> made;
    for (const folded_row& row : fold(of, who))
        for (std::size_t at = 0; at < who.managers.size(); ++at)
            if (&of.of(at) == row.found && !is_second_name(who, at))
                made.push_back({.who = who.managers[at],
                                .others = 0,
                                .found = row.found,
                                .is_spelled_out = true,
                                .needs = row.needs});
    return made;
}

/// Returns a note if some workloads have no programs, on which some policies cannot differ.
std::string without_programs(const std::vector<comparison>& of) {
    const bool has_any =
        std::any_of(of.begin(), of.end(), [](const comparison& each) { return !each.in->has_programs; });
    return has_any ? "Traces without `load` and `run` rows never exercise eviction or donation. " : "";
}

constexpr std::string_view unstable_times =
    "~ marks times that are not stable: no three rounds agree within 10 %, or other programs kept the machine busy.";

bool has_unstable_times(const comparison& of) {
    return std::any_of(of.cells.begin(), of.cells.end(),
                       [](const cell& each) { return each.found.ns_stable == false; });
}

chapter make_chapter(const comparison& each, const selection& who, const report_layout& layout, std::size_t managers) {
    const scenario& in = *each.in;
    const std::vector<folded_row> rows = fold(each, who);
    chapter written{.title = in.load.name,
                    .about = about_words(in),
                    .rows = layout.is_wide ? unfold(each, who) : rows,
                    .columns = {},
                    .findings = make_findings(in, rows, layout.is_brief),
                    .yardstick = offline_row(each),
                    .baseline = who.managers[who.baseline]};
    if (written.yardstick != nullptr)
        written.rows.push_back(
            {.who = &offline_entry, .others = 0, .found = written.yardstick.get(), .is_yardstick = true});
    if (!must_fail(in) || layout.is_wide) written.columns = make_columns(each, who, written.rows);
    if (std::string words = worst_case_words(each, who); !words.empty())
        written.findings.insert(written.findings.begin(), std::move(words));
    add_idle_policies(written.findings, in, rows);
    if (std::string words = luck_words(each, who); !words.empty()) written.findings.push_back(std::move(words));
    if (rows.size() < managers && !must_fail(in) && !layout.is_brief && !layout.is_wide)
        written.findings.push_back(folding_words(in));
    if (const std::vector<std::string>& notes = in.notes; !notes.empty()) {
        written.findings.insert(written.findings.begin(), notes.front());
        written.findings.insert(written.findings.end(), notes.begin() + 1, notes.end());
    }
    if (is_imported(in))
        written.findings.insert(written.findings.begin(),
                                "To list who holds what, at the end and at the peak: `hbm_compare --growth --trace " +
                                    in.load.name + "`.");
    return written;
}

}  // namespace

report make_report(const std::vector<comparison>& of, const selection& who, const report_layout& layout) {
    report made;
    const std::size_t managers = count_managers(who);
    for (const comparison& each : of) made.chapters.push_back(make_chapter(each, who, layout, managers));
    if (of.size() > 1) made.findings = make_conclusion(of, who);
    for (std::size_t at = 0; at < of.size(); ++at)
        if (std::string words = offline_words(of[at], fold(of[at], who)); !words.empty())
            made.chapters[at].findings.push_back(std::move(words));
    std::vector<std::string>& last = of.size() == 1 ? made.chapters.front().findings : made.findings;
    if (layout.is_brief)
        last.push_back("Managers with identical results share a row; --wide gives each its own and all columns. " +
                       without_programs(of) + "Footprints are in unlimited memory.");
    const auto has_marks = [](const comparison& each) {
        return std::any_of(each.cells.begin(), each.cells.end(),
                           [&](const cell& some) { return is_timed_by_stand_in(each, some.found); });
    };
    if (std::any_of(of.begin(), of.end(), has_marks))
        last.push_back("Times with * are of managers that choose their policies at run time: a type of your own takes "
                       "less. Only the managers of the default list are compiled as such types.");
    if (std::any_of(of.begin(), of.end(), has_unstable_times)) last.emplace_back(unstable_times);
    return made;
}

std::string folded_row::label() const {
    return group_name(is_spelled_out ? who->name : short_name(*who), others);
}

std::optional<std::uint64_t> folded_row::minimum() const {
    return found->completed ? found->min_capacity_bytes : std::nullopt;
}

std::optional<std::uint64_t> folded_row::footprint() const {
    return found->completed ? found->footprint_bytes : std::nullopt;
}

std::vector<folded_row> fold(const comparison& of, const selection& who) {
    std::vector<folded_row> rows(of.cells.size());
    for (std::size_t at = 0; at < who.managers.size(); ++at) {
        folded_row& row = rows[of.cell_of[at]];
        if (row.who == nullptr) {
            row.who = who.managers[at];
            row.found = &of.of(at);
            row.needs = of.cells[of.cell_of[at]].needs;
            continue;
        }
        if (!same_manager(*row.who, *who.managers[at])) ++row.others;
        const bool is_led = row.who == who.managers[who.baseline];
        if (at == who.baseline || (!is_led && who.managers[at] == who.preferred)) row.who = who.managers[at];
    }
    const bool is_unlimited = of.in->how == limit::unlimited;
    const auto rank = [&](const folded_row& row) {
        const trace::figures& found = *row.found;
        const bool has_footprint = row.footprint().has_value();
        const std::optional<std::uint64_t> bytes = is_unlimited && has_footprint ? row.footprint() : row.minimum();
        return std::tuple(!found.completed, ~found.failed_event.value_or(0), is_unlimited && !has_footprint,
                          bytes.value_or(0), found.move_us + found.reload_us,
                          found.fragmentation_mean.value_or(trace::fraction{}));
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const folded_row& a, const folded_row& b) { return rank(a) < rank(b); });
    const auto known = std::find_if(rows.begin(), rows.end(),
                                    [](const folded_row& row) { return row.who->name == runtime_manager.name; });
    if (of.in->has_programs && known != rows.end()) std::rotate(rows.begin(), known, known + 1);
    return rows;
}

}  // namespace hbm::compare
