#include "compare/tables/seed_rows.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include "compare/managers/named_managers.hpp"
#include "compare/tables/offline_report.hpp"

namespace hbm::compare {

namespace {

/// Returns true if two comparisons differ only in the seed.
bool differ_in_seed(const sweep_point& a, const sweep_point& b) {
    return a.what == sweep_point::kind::generated && b.what == a.what && a.text == b.text && a.quantum == b.quantum &&
           a.capacity.what == b.capacity.what && a.capacity.text == b.capacity.text;
}

void add_managers(seed_rows& into, const seed_group& of, const selection& who, bool folds) {
    std::map<std::vector<std::size_t>, std::size_t> known;
    for (std::size_t at = 0; at < who.managers.size(); ++at) {
        std::vector<std::size_t> cells;
        for (const comparison* each : of) cells.push_back(each->cell_of[at]);
        if (!folds && is_second_name(who, at)) continue;
        if (!folds) cells.push_back(at);
        const auto [place, is_new] = known.emplace(cells, into.all.size());
        if (!is_new) {
            folded_row& group = into.all[place->second].group;
            if (!same_manager(*group.who, *who.managers[at])) ++group.others;
            continue;
        }
        seed_row& row = into.all.emplace_back();
        row.group.who = who.managers[at];
        for (const comparison* each : of)
            if (each->of(at).completed) row.completed.push_back({each, &each->of(at)});
    }
}

void add_yardstick(seed_rows& into, const seed_group& of) {
    seed_row row;
    row.group = {.who = &offline_entry, .others = 0, .found = nullptr, .is_yardstick = true};
    for (const comparison* each : of) {
        std::shared_ptr<const trace::figures> found = offline_row(*each);
        if (found == nullptr) return;
        row.completed.push_back({each, found.get()});
        into.packings.push_back(std::move(found));
    }
    into.all.push_back(std::move(row));
}

}  // namespace

std::vector<seed_group> grouped_by_seed(const std::vector<comparison>& of) {
    std::vector<seed_group> groups;
    for (const comparison& each : of) {
        if (groups.empty() || !differ_in_seed(groups.back().front()->in->at, each.in->at)) groups.emplace_back();
        groups.back().push_back(&each);
    }
    return groups;
}

std::string needed_words(const seed_group& of) {
    const auto [least, most] = std::minmax_element(of.begin(), of.end(), [](const comparison* a, const comparison* b) {
        return a->in->min_bytes < b->in->min_bytes;
    });
    const std::string from = size_in_words((*least)->in->min_bytes);
    const std::string to = size_in_words((*most)->in->min_bytes);
    return from == to ? from : from + " to " + to;
}

seed_rows rows_of(const seed_group& of, const selection& who, bool folds) {
    seed_rows made;
    add_managers(made, of, who, folds);
    add_yardstick(made, of);
    return made;
}

}  // namespace hbm::compare
