#include "compare/tables/seed_table.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "compare/cells/grid.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/offline_report.hpp"
#include "compare/tables/summary.hpp"
#include "compare/text/text.hpp"
#include "compare/texts/recommendation.hpp"

namespace hbm::compare {

namespace {

/// Returns true if two comparisons differ only in the seed.
bool differ_in_seed(const sweep_point& a, const sweep_point& b) {
    return a.what == sweep_point::kind::generated && b.what == a.what && a.text == b.text && a.quantum == b.quantum &&
           a.capacity.what == b.capacity.what && a.capacity.text == b.capacity.text;
}

void add_managers(seed_rows& target, const seed_group& seeds, const selection& chosen, bool folds) {
    std::map<std::vector<std::size_t>, std::size_t> known;
    for (std::size_t at = 0; at < chosen.managers.size(); ++at) {
        std::vector<std::size_t> cells;
        for (const comparison* compared : seeds) cells.push_back(compared->cell_of[at]);
        if (!folds && is_second_name(chosen, at)) continue;
        if (!folds) cells.push_back(at);
        const auto [place, is_new] = known.emplace(cells, target.all.size());
        if (!is_new) {
            folded_row& group = target.all[place->second].group;
            if (!same_manager(*group.who, *chosen.managers[at])) ++group.others;
            continue;
        }
        seed_row& row = target.all.emplace_back();
        row.group.who = chosen.managers[at];
        for (const comparison* compared : seeds)
            if (compared->of(at).completed) row.completed.push_back({compared, &compared->of(at)});
    }
}

void add_yardstick(seed_rows& target, const seed_group& seeds) {
    seed_row row;
    row.group = {.who = &offline_entry, .others = 0, .found = nullptr, .is_yardstick = true};
    for (const comparison* compared : seeds) {
        std::shared_ptr<const trace::figures> match = offline_row(*compared);
        if (match == nullptr) return;
        row.completed.push_back({compared, match.get()});
        target.packings.push_back(std::move(match));
    }
    target.all.push_back(std::move(row));
}

}  // namespace

std::vector<seed_group> grouped_by_seed(const std::vector<comparison>& all) {
    std::vector<seed_group> groups;
    for (const comparison& compared : all) {
        if (groups.empty() || !differ_in_seed(groups.back().front()->in->at, compared.in->at)) groups.emplace_back();
        groups.back().push_back(&compared);
    }
    return groups;
}

std::string needed_words(const seed_group& compared) {
    const auto [least, most] =
        std::minmax_element(compared.begin(), compared.end(), [](const comparison* a, const comparison* b) {
            return a->in->min_bytes < b->in->min_bytes;
        });
    const std::string from = size_in_words((*least)->in->min_bytes);
    const std::string to = size_in_words((*most)->in->min_bytes);
    return from == to ? from : filled(texts::range, {{"least", from}, {"most", to}});
}

seed_rows rows_of(const seed_group& group, const selection& chosen, bool folds) {
    seed_rows result;
    add_managers(result, group, chosen, folds);
    add_yardstick(result, group);
    return result;
}

namespace {

/// Returns `least / median / most` of values, of which there is at least one; one value if all are equal.
template <class Value, class Print>
std::string quantiles_of(std::vector<Value> all, Print print) {
    std::sort(all.begin(), all.end());
    if (!(all.front() < all.back())) return print(all.front());
    return filled(texts::quantiles, {{"least", print(all.front())},
                                     {"median", print(all[nearest_rank(all.size(), 50)])},
                                     {"most", print(all.back())}});
}

/// Returns `least / median / most` of a figure over the seeds that have it.
template <class Value, class Print>
std::string quantiles(const seed_row& row, Value value, Print print) {
    std::vector<typename decltype(value(row.completed.front()))::value_type> all;
    for (const seed_figures& seed : row.completed)
        if (const auto known = value(seed)) all.push_back(*known);
    return all.empty() ? std::string{} : quantiles_of(std::move(all), print);
}

using amount = std::optional<std::uint64_t>;

/// Returns a manager's cost of being online, as a part of the peak.
std::optional<trace::fraction> not_knowing_part(const seed_figures& seed) {
    const scenario& load = *seed.of->in;
    const amount costs = seed.of->offline ? seed.of->offline->not_knowing_bytes(load, *seed.found) : amount{};
    if (!costs || load.min_bytes == 0) return std::nullopt;
    return trace::fraction::of(*costs, load.min_bytes);
}

/// Returns `least / median / most` of a count; empty if it is 0 under every seed.
template <class Value, class Print>
std::string quantiles_of_count(const seed_row& row, Value value, Print print) {
    const bool is_nothing = std::all_of(row.completed.begin(), row.completed.end(),
                                        [&](const seed_figures& seed) { return value(*seed.found) == 0; });
    if (is_nothing) return {};
    return quantiles(
        row, [&](const seed_figures& seed) { return amount{value(*seed.found)}; }, print);
}

class table {
public:
    explicit table(const std::vector<seed_row>& rows) : rows_(rows) {}

    template <class Text>
    void add(std::string title, bool is_number, unsigned rank, Text text) {
        table_column made{.title = std::move(title), .is_number = is_number, .rank = rank, .cells = {}};
        bool is_empty = true;
        for (const seed_row& row : rows_) {
            made.cells.push_back(text(row));
            is_empty = is_empty && made.cells.back().text.empty();
            if (made.cells.back().text.empty()) made.cells.back().text = "-";
        }
        if (!is_empty) made_.push_back(std::move(made));
    }
    template <class Value, class Print>
    void add_quantiles(std::string title, unsigned rank, Value value, Print print) {
        add(std::move(title), true, rank,
            [&](const seed_row& row) { return table_cell{quantiles(row, value, print)}; });
    }
    template <class Value, class Print>
    void add_counts(std::string title, unsigned rank, Value value, Print print) {
        add(std::move(title), true, rank,
            [&](const seed_row& row) { return table_cell{quantiles_of_count(row, value, print)}; });
    }
    [[nodiscard]] std::vector<table_column> finish() { return std::move(made_); }

private:
    const std::vector<seed_row>& rows_;
    std::vector<table_column> made_;
};

std::vector<table_column> columns_of(const std::vector<seed_row>& rows, std::size_t seeds, bool is_unlimited) {
    const auto bytes = [](std::uint64_t value) { return size_in_words(value); };
    const auto count = [](std::uint64_t value) { return grouped(value); };
    const auto time = [](std::uint64_t value) { return duration(value); };
    table made(rows);
    made.add("manager", false, 0, [](const seed_row& row) { return table_cell{row.group.label()}; });
    made.add("completes", true, 0, [&](const seed_row& row) {
        const std::size_t good = row.completed.size();
        if (row.group.is_yardstick) return table_cell{};
        return table_cell{filled(texts::part_of, {{"part", good}, {"whole", seeds}}),
                          good == seeds ? accent::none : accent::bad};
    });
    made.add_quantiles(
        "minimum capacity", is_unlimited ? 1 : 0,
        [](const seed_figures& seed) { return seed.found->min_capacity_bytes; }, bytes);
    made.add_quantiles(
        "footprint", is_unlimited ? 0 : 1, [](const seed_figures& seed) { return seed.found->footprint_bytes; }, bytes);
    made.add("not knowing", true, 2, [](const seed_row& row) {
        return table_cell{row.group.is_yardstick ? std::string{}
                                                 : quantiles(row, not_knowing_part, [](const trace::fraction& value) {
                                                       return percent(value);
                                                   })};
    });
    made.add_quantiles(
        "peak live", 7, [](const seed_figures& seed) { return amount{seed.found->peak_live_bytes}; }, bytes);
    made.add_quantiles(
        "scattered", 8, [](const seed_figures& seed) { return seed.found->fragmentation_mean; },
        [](const trace::fraction& value) { return percent(value); });
    made.add_counts(
        "moved", 5, [](const trace::figures& figures) { return figures.moved_bytes; }, bytes);
    made.add_counts(
        "move time", 3, [](const trace::figures& figures) { return figures.move_us; }, time);
    made.add_counts(
        "evicted", 4, [](const trace::figures& figures) { return figures.evictions; }, count);
    made.add_counts(
        "reload time", 3, [](const trace::figures& figures) { return figures.reload_us; }, time);
    return made.finish();
}

/// Returns the median need of a row, by one measure for all: its minimum capacity, or in unlimited memory the
/// footprint. Empty if unknown.
amount median_need(const seed_row& row) {
    std::vector<std::uint64_t> all;
    for (const seed_figures& seed : row.completed) {
        const bool is_unlimited = seed.of->in->how == limit::unlimited;
        if (const amount& need = is_unlimited ? seed.found->footprint_bytes : seed.found->min_capacity_bytes)
            all.push_back(*need);
    }
    std::sort(all.begin(), all.end());
    return all.empty() ? amount{} : all[nearest_rank(all.size(), 50)];
}

/// Sorts rows: those that complete under most seeds come first, then those that need least; last the yardstick.
void sort_rows(std::vector<seed_row>& rows) {
    const auto rank = [](const seed_row& row) {
        const amount need = median_need(row);
        return std::tuple(row.group.is_yardstick, ~row.completed.size(), !need, need.value_or(0));
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const seed_row& a, const seed_row& b) { return rank(a) < rank(b); });
}

/// Returns a sentence about the packings over all seeds.
std::string packing_note(const seed_group& all) {
    std::vector<trace::fraction> parts;
    std::size_t proven = 0;
    for (const comparison* entry : all) {
        if (!entry->offline || entry->in->min_bytes == 0) continue;
        parts.push_back(trace::fraction::of(entry->offline->bytes, entry->in->min_bytes));
        if (entry->offline->is_optimal()) ++proven;
    }
    if (parts.empty()) return packing_note(*all.front(), {});
    const std::string seeds = counted(parts.size(), "seed");
    return filled(texts::packing_over_seeds,
                  {{"times", quantiles_of(std::move(parts), [](trace::fraction value) { return rounded(value, 4); })},
                   {"proven", proven},
                   {"seeds", seeds}});
}

/// Returns true if no manager can complete any of these in its memory.
bool fail_all(const seed_group& all) {
    return std::all_of(all.begin(), all.end(), [](const comparison* compared) { return must_fail(*compared->in); });
}

/// Adds a warning if a search observed failures above a minimum capacity, which is not a bound.
void add_seeds_of_larger_failures(std::vector<std::string>& findings, const std::vector<seed_row>& rows) {
    std::string names;
    for (const seed_row& row : rows) {
        const auto seen = static_cast<std::size_t>(
            std::count_if(row.completed.begin(), row.completed.end(),
                          [](const seed_figures& seed) { return seed.found->min_larger_fails_bytes.has_value(); }));
        if (seen != 0)
            append_item(
                names, filled(texts::name_with_seeds, {{"name", row.group.label()}, {"seeds", counted(seen, "seed")}}));
    }
    if (!names.empty()) findings.push_back(filled(texts::larger_fails_under_seeds, {{"names", names}}));
}

std::vector<std::string> chapter_findings(const seed_group& all, const std::vector<seed_row>& rows) {
    if (fail_all(all))
        return {filled(texts::impossible_seeds, {{"seeds", counted(all.size(), "seed")},
                                                 {"needed", needed_words(all)},
                                                 {"capacity", size_in_words(all.front()->in->device.capacity)}})};
    const bool is_folded =
        std::any_of(rows.begin(), rows.end(), [](const seed_row& row) { return row.group.others != 0; });
    std::vector<std::string> findings{std::string(is_folded ? texts::seed_columns_folded : texts::seed_columns)};
    add_seeds_of_larger_failures(findings, rows);
    if (std::string note = packing_note(all); !note.empty()) findings.push_back(std::move(note));
    return findings;
}

chapter chapter_of(const seed_group& all, const selection& chosen, bool folds) {
    seed_rows result = rows_of(all, chosen, folds);
    std::vector<seed_row>& rows = result.all;
    sort_rows(rows);
    const scenario& first = *all.front()->in;
    std::string memory = first.how == limit::unlimited ? std::string(texts::unlimited_memory)
                         : first.how == limit::given
                             ? filled(texts::custom_memory, {{"size", size_in_words(first.device.capacity)}})
                             : std::string(texts::minimum_memory);
    std::vector<std::string> told = chapter_findings(all, rows);
    if (std::string note = attack_note(*all.front(), chosen); !note.empty()) told.insert(told.begin(), std::move(note));
    const bool has_table = !folds || !fail_all(all);
    std::vector<folded_row> groups;
    for (const seed_row& row : rows) groups.push_back(row.group);
    return {.title = first.load.name,
            .about = filled(texts::about_seeds, {{"seeds", counted(all.size(), "seed")},
                                                 {"needed", needed_words(all)},
                                                 {"memory", std::move(memory)},
                                                 {"quantum", size_in_words(first.device.quantum)}}),
            .rows = std::move(groups),
            .columns =
                has_table ? columns_of(rows, all.size(), first.how == limit::unlimited) : std::vector<table_column>{},
            .findings = std::move(told)};
}

/// Returns the chapters and the findings over all of them.
report make_details(const std::vector<comparison>& compared, const std::vector<seed_group>& groups,
                    const selection& chosen, const report_layout& layout) {
    if (groups.size() == compared.size()) return make_report(compared, chosen, layout);
    report result;
    for (const seed_group& all : groups) {
        if (all.size() > 1)
            result.chapters.push_back(chapter_of(all, chosen, !layout.is_wide));
        else
            result.chapters.push_back(std::move(make_report({*all.front()}, chosen, layout).chapters.front()));
    }
    return result;
}

}  // namespace

std::size_t nearest_rank(std::size_t count, std::size_t percent) {
    const std::size_t rank = (count * percent + 99) / 100;
    return rank == 0 ? 0 : rank - 1;
}

report make_report_over_seeds(const std::vector<comparison>& all, const selection& chosen,
                              const report_layout& layout) {
    const std::vector<seed_group> groups = grouped_by_seed(all);
    const recommendation best = recommend(all, chosen);
    report result;
    selection shown = chosen;
    shown.preferred = best.best.who;
    if (groups.size() < 2 || layout.has_details) result = make_details(all, groups, shown, layout);
    if (best.is_sweep) result.together = texts::points_together;
    add_summary(result, all, chosen, best, layout);
    if (!layout.is_wide) result.names = names_explained(chosen);
    if (count_managers(chosen) > 1) result.answer = best.sentences;
    return result;
}

}  // namespace hbm::compare
