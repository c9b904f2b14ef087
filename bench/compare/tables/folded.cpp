#include "compare/tables/folded.hpp"

#include <algorithm>
#include <tuple>

#include "compare/managers/named_managers.hpp"

namespace hbm::compare {

std::string folded_row::label() const {
    return group_name(who->name, others);
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
        } else if (!same_manager(*row.who, *who.managers[at])) {
            ++row.others;
        }
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
