#include "compare/tables/summary.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <map>

#include "compare/managers/default_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/texts.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Number of managers up to which each has a row, even if others have equal cells.
constexpr std::size_t most_single_rows = 24;

using optional_bytes = std::optional<std::uint64_t>;

/// Returns the figure of a completed replay that ranks managers in the memory of the scenario, in bytes or, for a given
/// memory, in microseconds.
optional_bytes measure_of(const scenario& load, const trace::figures& figures) {
    if (load.how == limit::given) return figures.move_us + figures.reload_us;
    return load.how == limit::unlimited ? figures.footprint_bytes : figures.min_capacity_bytes;
}

std::string measure_cell(const scenario& load, optional_bytes value) {
    if (!value) return "-";
    if (load.how != limit::given) return size_in_words(*value);
    return *value == 0 ? std::string(texts::fits_cell) : duration(*value);
}

/// Column of the table, with its measures for the emphasis of the least.
class column_writer {
public:
    explicit column_writer(const comparison& compared) : compared_(compared), scene_(*compared.in) {}

    [[nodiscard]] table_column make(const std::vector<std::size_t>& managers) const {
        table_column result{.title = scene_.title,
                            .is_number = true,
                            .rank = 0,
                            .cells = {{memory_cell()}, {size_in_words(scene_.min_bytes)}}};
        optional_bytes least;
        if (scene_.how != limit::given)
            for (const std::size_t at : managers)
                if (const optional_bytes here = measure(at); here && (!least || *here < *least)) least = here;
        for (const std::size_t at : managers) result.cells.push_back(cell_of(at, least));
        return result;
    }

private:
    [[nodiscard]] std::string memory_cell() const {
        switch (scene_.how) {
        case limit::given: return size_in_words(scene_.device.capacity);
        case limit::unlimited: return std::string(texts::no_limit);
        case limit::minimum:
        case limit::needed: break;
        }
        const bool is_bisected = std::any_of(compared_.cells.begin(), compared_.cells.end(), [](const cell& known) {
            return known.found.min_search == trace::search::bisection;
        });
        return std::string(is_bisected ? texts::own_need_at_most : texts::own_need);
    }

    /// Returns the measure of a manager; empty if it fails.
    [[nodiscard]] optional_bytes measure(std::size_t manager) const {
        const trace::figures& figures = compared_.of(manager);
        return figures.completed ? measure_of(scene_, figures) : std::nullopt;
    }

    [[nodiscard]] table_cell cell_of(std::size_t manager, optional_bytes least) const {
        if (!compared_.of(manager).completed) return {std::string(texts::fails_cell), accent::bad};
        const optional_bytes value = measure(manager);
        return {measure_cell(scene_, value), value && value == least ? accent::good : accent::none};
    }

    const comparison& compared_;
    const scenario& scene_;
};

/// Removes rows that are equal to an earlier one, except the baseline's, and counts them in the label of that.
void fold_equal(std::vector<table_column>& columns, std::size_t heads, std::size_t baseline_row) {
    std::map<std::string, std::size_t> known;
    std::vector<std::size_t> kept;
    std::vector<std::size_t> others;
    for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
        std::string key = row < heads || row == baseline_row ? std::to_string(row) + '\n' : std::string{};
        for (std::size_t at = 1; at < columns.size(); ++at) key += columns[at].cells[row].text + '\n';
        const auto [place, is_new] = known.emplace(key, kept.size());
        if (!is_new) {
            ++others[place->second];
            continue;
        }
        kept.push_back(row);
        others.push_back(0);
    }
    for (table_column& column : columns) {
        std::vector<table_cell> cells;
        for (const std::size_t row : kept) cells.push_back(std::move(column.cells[row]));
        column.cells = std::move(cells);
    }
    for (std::size_t row = 0; row < kept.size(); ++row)
        columns.front().cells[row].text = group_name(columns.front().cells[row].text, others[row]);
}

/// Kinds of cells in the table, which decide the sentences below it.
struct summary_contents {
    bool has_needs = false;       ///< true for minimum capacities
    bool has_bisections = false;  ///< true for minimum capacities that a bisection found
    bool has_footprints = false;  ///< true for footprints in unlimited memory
    bool has_costs = false;       ///< true for costs in a given memory
};

std::string explanation_of_cells(const summary_contents& contents) {
    const std::pair<bool, std::string_view> sentences[] = {{contents.has_needs, texts::needs_cells},
                                                           {contents.has_bisections, texts::bisection_cells},
                                                           {contents.has_footprints, texts::footprint_cells},
                                                           {contents.has_costs, texts::cost_cells}};
    std::string text;
    for (const auto& [is_true, sentence] : sentences)
        if (is_true) append_item(text, sentence, " ");
    return text;
}

summary_contents contents_of(const std::vector<comparison>& all) {
    summary_contents result;
    for (const comparison& entry : all) {
        const limit how = entry.in->how;
        const auto has = [&](auto condition) { return std::any_of(entry.cells.begin(), entry.cells.end(), condition); };
        const bool is_need = how == limit::minimum || how == limit::needed;
        result.has_costs = result.has_costs || how == limit::given;
        result.has_footprints = result.has_footprints || how == limit::unlimited;
        result.has_needs = result.has_needs || is_need;
        result.has_bisections =
            result.has_bisections ||
            (is_need && has([](const cell& known) { return known.found.min_search == trace::search::bisection; }));
    }
    return result;
}

}  // namespace

void add_summary(report& target, const std::vector<comparison>& compared, const selection& chosen,
                 const recommendation& best, const report_layout& layout) {
    if (compared.size() < 2) return;
    const std::vector<std::size_t> managers = ranked_managers(chosen, best);
    table_column& names = target.summary.emplace_back();
    names = {.title = "manager", .cells = {{std::string(texts::memory_row)}, {std::string(texts::bound_row)}}};
    const std::size_t heads = names.cells.size();
    std::size_t baseline_row = heads;
    for (const std::size_t at : managers) {
        if (at == chosen.baseline) baseline_row = names.cells.size();
        names.cells.push_back({std::string(short_name(*chosen.managers[at]))});
    }
    for (const comparison& entry : compared) target.summary.push_back(column_writer(entry).make(managers));
    if (managers.size() > most_single_rows) fold_equal(target.summary, heads, baseline_row);
    const summary_contents contents = contents_of(compared);
    target.remarks = {explanation_of_cells(contents),
                      std::string(layout.has_details ? texts::units : texts::units_and_details)};
    if (layout.has_details) return;
    for (const comparison& entry : compared)
        for (const std::string& note : entry.in->notes)
            target.remarks.push_back(filled(texts::note_on_workload, {{"workload", entry.in->title}, {"note", note}}));
}

std::string broken_title(std::string_view title, std::size_t width) {
    std::string result;
    std::size_t column = 0;
    for (std::size_t from = 0; from < title.size();) {
        const std::size_t at = title.find_first_of("_,: ", from);
        const std::size_t end = at == std::string_view::npos ? title.size() : at + 1;
        const std::string_view part = title.substr(from, end - from);
        const std::size_t visible = part.ends_with(' ') ? part.size() - 1 : part.size();
        if (column != 0 && column + visible > width) {
            while (result.ends_with(' ')) result.pop_back();
            result += '\n';
            column = 0;
        }
        result += part;
        column += part.size();
        from = end;
    }
    while (result.ends_with(' ')) result.pop_back();
    return result;
}

}  // namespace hbm::compare
