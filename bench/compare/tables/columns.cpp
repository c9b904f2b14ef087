#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>

#include "compare/managers/default_managers.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/report.hpp"

namespace hbm::compare {

namespace {

/// The columns of a table.
class column_maker {
public:
    explicit column_maker(const std::vector<folded_row>& rows) : rows_(&rows) {}

    /// Adds a column, aligned to the left and never left out for space, unless `text_of` is empty for all rows.
    template <class Text>
    void add_text(std::string title, Text text_of) {
        const std::size_t before = made_.size();
        add(std::move(title), 0, text_of);
        if (made_.size() != before) made_.back().is_number = false;
    }

    template <class Text>
    void add(std::string title, unsigned rank, Text text_of) {
        table_column made{.title = std::move(title), .is_number = true, .rank = rank, .cells = {}};
        bool is_empty = true;
        for (const folded_row& row : *rows_) {
            table_cell cell = text_of(row);
            is_empty = is_empty && cell.text.empty();
            if (cell.text.empty()) cell.text = "-";
            made.cells.push_back(std::move(cell));
        }
        if (!is_empty) made_.push_back(std::move(made));
    }

    [[nodiscard]] std::vector<table_column> finish() { return std::move(made_); }

private:
    const std::vector<folded_row>* rows_;
    std::vector<table_column> made_;
};

using optional_bytes = std::optional<std::uint64_t>;

/// Returns the ratio to a common quantity: the peak live bytes. With programs it is the least that any manager needs,
/// because peaks differ with evictions.
std::string ratio_of(const optional_bytes& bytes, const folded_row& row, const scenario& load) {
    const std::uint64_t common = load.has_programs ? load.min_bytes : row.found->peak_live_bytes;
    return !bytes || common == 0 ? std::string{} : rounded(trace::fraction::of(*bytes, common), 4);
}

/// Returns `<=` for a minimum capacity that a bisection found: a smaller one may do.
std::string bisection_mark(const folded_row& row) {
    return row.found->min_search == trace::search::bisection ? "<=" : "";
}

/// Adds a measure of memory of a rank, in words, and its ratio to the common quantity. The least is emphasised if
/// `ranks`.
template <class Bytes, class Print>
void add_measure(column_maker& target, const std::vector<folded_row>& rows, const scenario& load, std::string title,
                 unsigned rank, bool ranks, Bytes bytes, Print print) {
    optional_bytes least;
    for (const folded_row& row : rows)
        if (const optional_bytes here = bytes(row); !row.is_yardstick && here && (!least || *here < *least))
            least = here;
    target.add(std::move(title), rank, [&](const folded_row& row) {
        const optional_bytes here = bytes(row);
        return table_cell{here ? print(row, *here) : "",
                          ranks && !row.is_yardstick && here && here == least ? accent::good : accent::none};
    });
    target.add(load.has_programs ? "x the least" : "x its peak", rank + 1,
               [&](const folded_row& row) { return table_cell{ratio_of(bytes(row), row, load)}; });
}

std::string percent_or_nothing(const std::optional<trace::fraction>& value) {
    return value ? percent(*value) : std::string{};
}

std::string moves_of(const trace::figures& figures) {
    if (figures.moves == 0) return {};
    return filled(texts::moved, {{"bytes", size_in_words(figures.moved_bytes)}, {"moves", grouped(figures.moves)}});
}

std::string donations_of(const trace::figures& figures) {
    if (figures.donations_offered == 0) return {};
    return filled(texts::part_of,
                  {{"part", grouped(figures.donations_taken)}, {"whole", grouped(figures.donations_offered)}});
}

/// Returns the cost of relief per run, in milliseconds: moves at the memory's bandwidth, reloads at that of the host
/// link.
std::string price_of_a_step(const trace::figures& figures, const trace::workload& load) {
    const std::size_t rows = figures.completed ? load.rows.size() : static_cast<std::size_t>(*figures.failed_event);
    std::uint64_t runs = 0;
    for (std::size_t at = 0; at < rows; ++at) runs += load.rows[at].what == trace::op::run;
    const std::uint64_t price = figures.move_us + figures.reload_us;
    return runs == 0 || price == 0 ? std::string{} : rounded(trace::fraction::of(price, runs * 1000), 4);
}

}  // namespace

std::vector<table_column> make_columns(const comparison& compared, const std::vector<folded_row>& rows) {
    const bool all_complete =
        std::all_of(rows.begin(), rows.end(), [](const folded_row& row) { return row.found->completed; });

    column_maker made(rows);
    made.add_text("manager", [](const folded_row& row) { return table_cell{row.label()}; });
    // The ranked measure is the last to be left out.
    const bool is_unlimited = compared.in->how == limit::unlimited;
    add_measure(
        made, rows, *compared.in, "minimum capacity", is_unlimited ? 1 : 0, true,
        [](const folded_row& row) { return row.minimum(); },
        [](const folded_row& row, std::uint64_t bytes) { return bisection_mark(row) + size_in_words(bytes); });
    add_measure(
        made, rows, *compared.in, "footprint", is_unlimited ? 0 : 1, is_unlimited,
        [](const folded_row& row) { return row.footprint(); },
        [](const folded_row&, std::uint64_t bytes) { return size_in_words(bytes); });
    made.add("not knowing", 2, [&](const folded_row& row) {
        const optional_bytes costs =
            compared.offline ? compared.offline->not_knowing_bytes(*compared.in, *row.found) : optional_bytes{};
        if (row.is_yardstick || !costs || compared.in->min_bytes == 0) return table_cell{};
        return table_cell{percent(trace::fraction::of(*costs, compared.in->min_bytes))};
    });
    made.add("peak live", 7, [&](const folded_row& row) {
        return table_cell{compared.in->has_programs ? size_in_words(row.found->peak_live_bytes) : ""};
    });
    made.add("scattered", 8,
             [](const folded_row& row) { return table_cell{percent_or_nothing(row.found->fragmentation_mean)}; });
    made.add("at worst", 9,
             [](const folded_row& row) { return table_cell{percent_or_nothing(row.found->fragmentation_worst)}; });
    made.add("moved", 5, [](const folded_row& row) { return table_cell{moves_of(*row.found)}; });
    made.add("move time", 3, [](const folded_row& row) {
        return table_cell{row.found->moves == 0 ? "" : duration(row.found->move_us)};
    });
    made.add("evicted", 4, [](const folded_row& row) {
        return table_cell{row.found->evictions == 0 ? "" : grouped(row.found->evictions)};
    });
    made.add("reload time", 3, [](const folded_row& row) {
        return table_cell{row.found->reloads == 0 ? "" : duration(row.found->reload_us)};
    });
    made.add("ms a step", 10,
             [&](const folded_row& row) { return table_cell{price_of_a_step(*row.found, compared.in->load)}; });
    made.add("donated", 6, [](const folded_row& row) { return table_cell{donations_of(*row.found)}; });
    made.add_text("result", [&](const folded_row& row) {
        if (all_complete) return table_cell{};
        if (row.found->completed) return table_cell{std::string(texts::completes)};
        return table_cell{filled(texts::fails_at, {{"event", grouped(*row.found->failed_event)}}), accent::bad};
    });
    return made.finish();
}

}  // namespace hbm::compare
