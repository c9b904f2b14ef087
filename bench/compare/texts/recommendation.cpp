#include "compare/texts/recommendation.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "compare/cells/partial_result.hpp"
#include "compare/managers/manager_type.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/texts/recommendation_words.hpp"

namespace hbm::compare {

namespace {

constexpr std::uint64_t one_percent = 10'000;  // in millionths

std::uint64_t cost_of(const trace::figures& found) {
    return found.move_us + found.reload_us;
}

/// The memory of a manager on a workload, by the measure of the scenario; empty if that is not known. Under an
/// unlimited capacity only footprints count: a minimum capacity is another measure.
std::optional<std::uint64_t> bytes_of(const scenario& in, const trace::figures& found) {
    if (!found.completed) return std::nullopt;
    if (in.how == limit::unlimited) return found.footprint_bytes;
    return found.min_capacity_bytes ? found.min_capacity_bytes : found.capacity_bytes;
}

/// Leaves those with a single measure: footprints cannot be ranked beside minimum capacities. How many were taken out.
std::size_t leave_one_measure(std::vector<const comparison*>& possible) {
    const auto has_minimum = [](const comparison* each) {
        return each->in->how == limit::minimum || each->in->how == limit::needed;
    };
    if (std::none_of(possible.begin(), possible.end(), has_minimum)) return 0;
    return std::erase_if(possible, [](const comparison* each) { return each->in->how == limit::unlimited; });
}

/// `a` above `b` in millionths, 0 if it is not above.
std::uint64_t excess(std::uint64_t a, std::uint64_t b) {
    if (a <= b) return 0;
    return trace::fraction::of(a - b, std::max<std::uint64_t>(b, 1)).millionths;
}

/// The least memory on a workload among managers that cost no more than `cost`.
std::uint64_t least_bytes(const comparison& each, std::uint64_t cost, std::uint64_t bytes) {
    for (const cell& other : each.cells) {
        const std::optional<std::uint64_t> needs = bytes_of(*each.in, other.found);
        if (needs && cost_of(other.found) <= cost) bytes = std::min(bytes, *needs);
    }
    return bytes;
}

candidate assess(const std::vector<const comparison*>& possible, const selection& who, std::size_t at) {
    candidate made;
    made.who = who.managers[at];
    for (const comparison* each : possible) {
        const trace::figures& found = each->of(at);
        const std::optional<std::uint64_t> bytes = bytes_of(*each->in, found);
        if (!bytes) continue;
        ++made.completed;
        made.bytes += *bytes;
        made.cost_us += cost_of(found);
        made.excess_ppm = std::max(made.excess_ppm, excess(*bytes, least_bytes(*each, cost_of(found), *bytes)));
    }
    return made;
}

/// Keeps the candidates for which `value` is least, or at most `slack` above the least.
template <class Value, class Slack>
void keep_least(std::vector<candidate>& all, Value value, Slack slack) {
    if (all.empty()) return;
    std::uint64_t least = value(all.front());
    for (const candidate& each : all) least = std::min(least, value(each));
    std::erase_if(all, [&](const candidate& each) { return value(each) > slack(least); });
}

/// The best of the candidates by the rule; they are in list order.
candidate choose(std::vector<candidate> all, std::size_t workloads) {
    const auto exactly = [](std::uint64_t least) { return least; };
    keep_least(
        all, [&](const candidate& each) { return workloads - each.completed; }, exactly);
    keep_least(
        all, [](const candidate& each) { return each.excess_ppm; },
        [](std::uint64_t least) { return std::max(least, one_percent); });
    keep_least(
        all, [](const candidate& each) { return each.bytes; }, [](std::uint64_t least) { return least + least / 100; });
    keep_least(
        all, [](const candidate& each) { return each.cost_us; }, exactly);
    keep_least(
        all, [](const candidate& each) { return choices_of(*each.who); }, exactly);
    return all.empty() ? candidate{} : all.front();
}

/// The simplest manager that completes as much as the best and has fewer choices; of these the one that needs least.
candidate choose_simpler(std::vector<candidate> all, const candidate& best) {
    std::erase_if(all, [&](const candidate& each) {
        return each.completed != best.completed || choices_of(*each.who) >= choices_of(*best.who);
    });
    const auto rank = [](const candidate& each) { return std::tuple(choices_of(*each.who), each.bytes, each.cost_us); };
    const auto found = std::min_element(all.begin(), all.end(),
                                        [&](const candidate& a, const candidate& b) { return rank(a) < rank(b); });
    return found == all.end() ? candidate{} : *found;
}

}  // namespace

recommendation recommend(const std::vector<comparison>& of, const selection& who) {
    recommendation made;
    std::vector<const comparison*> possible;
    for (const comparison& each : of)
        if (!must_fail(*each.in)) possible.push_back(&each);
    const std::size_t impossible = of.size() - possible.size();
    made.unranked = leave_one_measure(possible);
    made.workloads = possible.size();
    made.is_sweep = !of.empty() && are_points_of_a_sweep(of.size(), *of.front().in);
    std::vector<candidate> all;
    for (std::size_t at = 0; at < who.managers.size(); ++at)
        if (!is_second_name(who, at)) all.push_back(assess(possible, who, at));
    made.taking_part = all.size();
    std::erase_if(all, [](const candidate& each) { return each.completed == 0; });
    made.best = choose(all, possible.size());
    if (made.best.who != nullptr) {
        made.simpler = choose_simpler(all, made.best);
        bool is_wide = false;
        for (const comparison* each : possible)
            for (std::size_t at = 0; at < who.managers.size(); ++at)
                is_wide = is_wide || (who.managers[at] == made.best.who && each->cells[each->cell_of[at]].is_wide);
        made.type = type_text(*made.best.who, is_wide);
    }
    made.sentences = recommendation_sentences(made, all, impossible);
    return made;
}

}  // namespace hbm::compare
