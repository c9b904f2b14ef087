#include "compare/seed_table.hpp"

#include <hbm/report/sort_stably.hpp>
#include <hbm/report/words.hpp>

#include <algorithm>
#include <map>
#include <tuple>

#include "compare/named_managers.hpp"
#include "compare/numbers.hpp"
#include "compare/recommendation.hpp"

namespace hbm::compare {

namespace {

using comparisons = std::vector<const comparison*>;

/// A row: managers that share a cell under every seed.
struct seed_row {
    const manager_entry* who = nullptr;
    std::size_t others = 0;
    std::vector<const trace::figures*> completed;  ///< by seed, of those under which it completes
};

/// Whether two comparisons differ in nothing but the seed.
bool differ_in_seed(const sweep_point& a, const sweep_point& b) {
    return a.what == sweep_point::kind::generated && b.what == a.what && a.text == b.text && a.quantum == b.quantum &&
           a.capacity.what == b.capacity.what && a.capacity.text == b.capacity.text;
}

/// `folds`: managers that share a cell under every seed share a row.
std::vector<seed_row> rows_of(const comparisons& all, const selection& who, bool folds) {
    std::vector<seed_row> rows;
    std::map<std::vector<std::size_t>, std::size_t> known;
    for (std::size_t at = 0; at < who.managers.size(); ++at) {
        std::vector<std::size_t> cells;
        for (const comparison* each : all) cells.push_back(each->cell_of[at]);
        if (!folds && is_second_name(who, at)) continue;
        if (!folds) cells.push_back(at);
        const auto [place, is_new] = known.emplace(cells, rows.size());
        if (!is_new) {
            seed_row& row = rows[place->second];
            if (!same_manager(*row.who, *who.managers[at])) ++row.others;
            continue;
        }
        seed_row& row = rows.emplace_back();
        row.who = who.managers[at];
        for (const comparison* each : all)
            if (each->of(at).completed) row.completed.push_back(&each->of(at));
    }
    return rows;
}

/// `least / median / most` of a figure over the seeds that have it; one value where all are equal.
template <class Value, class Words>
std::string quantiles(const seed_row& row, Value value, Words words) {
    std::vector<typename decltype(value(*row.completed.front()))::value_type> all;
    for (const trace::figures* each : row.completed)
        if (const auto known = value(*each)) all.push_back(*known);
    if (all.empty()) return {};
    std::sort(all.begin(), all.end());
    if (!(all.front() < all.back())) return words(all.front());
    return words(all.front()) + " / " + words(all[nearest_rank(all.size(), 50)]) + " / " + words(all.back());
}

using amount = std::optional<std::uint64_t>;

/// The same of a count, empty where it stayed at nothing under every seed.
template <class Value, class Words>
std::string quantiles_of_count(const seed_row& row, Value value, Words words) {
    const bool is_nothing = std::all_of(row.completed.begin(), row.completed.end(),
                                        [&](const trace::figures* each) { return value(*each) == 0; });
    if (is_nothing) return {};
    return quantiles(
        row, [&](const trace::figures& of) { return amount{value(of)}; }, words);
}

class table {
public:
    explicit table(const std::vector<seed_row>& rows) : rows_(rows) {}

    template <class Text>
    void add(std::string title, bool is_number, Text text) {
        table_column made{.title = std::move(title), .is_number = is_number, .cells = {}};
        bool is_empty = true;
        for (const seed_row& row : rows_) {
            made.cells.push_back(text(row));
            is_empty = is_empty && made.cells.back().text.empty();
            if (made.cells.back().text.empty()) made.cells.back().text = "-";
        }
        if (!is_empty) made_.push_back(std::move(made));
    }
    template <class Value, class Words>
    void add_quantiles(std::string title, Value value, Words words) {
        add(std::move(title), true, [&](const seed_row& row) { return table_cell{quantiles(row, value, words)}; });
    }
    template <class Value, class Words>
    void add_counts(std::string title, Value value, Words words) {
        add(std::move(title), true,
            [&](const seed_row& row) { return table_cell{quantiles_of_count(row, value, words)}; });
    }
    [[nodiscard]] std::vector<table_column> finish() { return std::move(made_); }

private:
    const std::vector<seed_row>& rows_;
    std::vector<table_column> made_;
};

std::vector<table_column> columns_of(const std::vector<seed_row>& rows, std::size_t seeds) {
    const auto bytes = [](std::uint64_t value) { return size_in_words(value); };
    const auto count = [](std::uint64_t value) { return grouped(value); };
    const auto time = [](std::uint64_t value) { return duration(value); };
    table made(rows);
    made.add("manager", false, [](const seed_row& row) {
        return table_cell{std::string(row.who->name) +
                          (row.others == 0 ? "" : " (and " + std::to_string(row.others) + " more)")};
    });
    made.add("completes", true, [&](const seed_row& row) {
        const std::size_t good = row.completed.size();
        return table_cell{std::to_string(good) + " of " + std::to_string(seeds),
                          good == seeds ? accent::none : accent::bad};
    });
    made.add_quantiles(
        "footprint", [](const trace::figures& of) { return of.footprint_bytes; }, bytes);
    made.add_quantiles(
        "minimum capacity", [](const trace::figures& of) { return of.min_capacity_bytes; }, bytes);
    made.add_quantiles(
        "peak live", [](const trace::figures& of) { return amount{of.peak_live_bytes}; }, bytes);
    made.add_quantiles(
        "scattered", [](const trace::figures& of) { return of.fragmentation_mean; },
        [](const trace::fraction& value) { return percent(value); });
    made.add_counts(
        "moved", [](const trace::figures& of) { return of.moved_bytes; }, bytes);
    made.add_counts(
        "move time", [](const trace::figures& of) { return of.move_us; }, time);
    made.add_counts(
        "evicted", [](const trace::figures& of) { return of.evictions; }, count);
    made.add_counts(
        "reload time", [](const trace::figures& of) { return of.reload_us; }, time);
    return made.finish();
}

std::uint64_t median_need(const seed_row& row) {
    std::vector<std::uint64_t> all;
    for (const trace::figures* each : row.completed)
        all.push_back(each->min_capacity_bytes.value_or(each->footprint_bytes.value_or(0)));
    std::sort(all.begin(), all.end());
    return all.empty() ? 0 : all[nearest_rank(all.size(), 50)];
}

chapter chapter_of(const comparisons& all, const selection& who, bool folds) {
    std::vector<seed_row> rows = rows_of(all, who, folds);
    sort_stably(rows, [](const seed_row& a, const seed_row& b) {
        return std::tuple(b.completed.size(), median_need(a)) < std::tuple(a.completed.size(), median_need(b));
    });
    std::vector<const scenario*> ins;
    for (const comparison* each : all) ins.push_back(each->in);
    const auto [least, most] = std::minmax_element(
        ins.begin(), ins.end(), [](const scenario* a, const scenario* b) { return a->min_bytes < b->min_bytes; });
    const scenario& first = *ins.front();
    std::string needed = size_in_words((*least)->min_bytes);
    if ((*least)->min_bytes != (*most)->min_bytes) needed += " to " + size_in_words((*most)->min_bytes);
    std::string memory = first.how == limit::unlimited ? "unlimited memory"
                         : first.how == limit::minimum || first.how == limit::needed
                             ? "each manager at its minimum capacity"
                             : "a memory of " + size_in_words(first.device.capacity);
    std::string findings =
        "Over the seeds under which a manager completes: least / median / most, the median by nearest rank; one value "
        "where all are equal. Each seed has its rows in JSON and CSV.";
    if (std::any_of(rows.begin(), rows.end(), [](const seed_row& row) { return row.others != 0; }))
        findings += " Managers that cannot differ share a row: --wide gives each its own.";
    return {.title = first.load.name,
            .about = counted(all.size(), "seed") + ", never less than " + needed + " needed, " + memory + ", quantum " +
                     size_in_words(first.device.quantum),
            .rows = {},
            .columns = columns_of(rows, all.size()),
            .findings = {std::move(findings)}};
}

/// Which manager is best over all points of a sweep, before what else is said of all of them.
void add_best(report& into, const std::vector<comparison>& of, const selection& who) {
    if (of.size() < 2 || of.front().in->at.swept.empty()) return;
    const recommendation best = recommend(of, who);
    std::string words = "Over all " + std::to_string(of.size()) + " points of the sweep:";
    for (std::size_t at = 0; at < 2; ++at) words += " " + best.sentences[at];
    into.findings.insert(into.findings.begin(), std::move(words));
}

}  // namespace

std::size_t nearest_rank(std::size_t count, std::size_t percent) {
    const std::size_t rank = (count * percent + 99) / 100;
    return rank == 0 ? 0 : rank - 1;
}

report make_report_over_seeds(const std::vector<comparison>& of, const selection& who, const report_layout& layout) {
    std::vector<comparisons> groups;
    for (const comparison& each : of) {
        if (groups.empty() || !differ_in_seed(groups.back().front()->in->at, each.in->at)) groups.emplace_back();
        groups.back().push_back(&each);
    }
    report made;
    if (groups.size() == of.size()) {
        made = make_report(of, who, layout);
        add_best(made, of, who);
        return made;
    }
    for (const comparisons& all : groups) {
        if (all.size() > 1) {
            made.chapters.push_back(chapter_of(all, who, !layout.is_wide));
            continue;
        }
        report single = make_report({*all.front()}, who, layout);
        made.chapters.push_back(std::move(single.chapters.front()));
    }
    add_best(made, of, who);
    return made;
}

}  // namespace hbm::compare
