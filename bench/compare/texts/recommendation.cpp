#include "compare/texts/recommendation.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>

#include "compare/cells/grid.hpp"
#include "compare/managers/default_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/text/text.hpp"
#include "compare/texts/advice.hpp"

namespace hbm::compare {

namespace {

/// Needs that differ by no more are called equal, in millionths: changing one in a hundred of a placement's choices
/// moves the need of a trace by 1.3 % (standard deviation; bench/RESULTS.md, "Luck").
constexpr std::uint64_t luck = 20'000;

std::uint64_t cost_of(const trace::figures& figures) {
    return figures.move_us + figures.reload_us;
}

/// Returns the memory of a manager on a workload, by the measure of the scenario; empty if unknown. Under an unlimited
/// capacity only footprints count: a minimum capacity is another measure.
std::optional<std::uint64_t> bytes_of(const scenario& load, const cell& taken) {
    const trace::figures& figures = taken.found;
    if (!figures.completed || (load.how == limit::unlimited && !figures.footprint_bytes)) return std::nullopt;
    if (load.how == limit::unlimited) return figures.footprint_bytes;
    return figures.min_capacity_bytes ? figures.min_capacity_bytes : figures.capacity_bytes;
}

/// Removes workloads with footprints if others have minimum capacities, which cannot be ranked together. Returns their
/// number.
std::size_t leave_one_measure(std::vector<const comparison*>& possible) {
    const auto has_minimum = [](const comparison* compared) {
        return compared->in->how == limit::minimum || compared->in->how == limit::needed;
    };
    if (std::none_of(possible.begin(), possible.end(), has_minimum)) return 0;
    return std::erase_if(possible, [](const comparison* compared) { return compared->in->how == limit::unlimited; });
}

/// Returns `a` above `b` in millionths, 0 if it is not above.
std::uint64_t excess(std::uint64_t a, std::uint64_t b) {
    if (a <= b) return 0;
    return trace::fraction::of(a - b, std::max<std::uint64_t>(b, 1)).millionths;
}

/// Returns the excess of a manager's memory on a workload over the least of managers that cost no more, in millionths.
std::uint64_t worst_excess(const comparison& compared, const cell& taken, std::uint64_t bytes) {
    std::uint64_t worst = 0;
    for (const cell& other : compared.cells) {
        const std::optional<std::uint64_t> needs = bytes_of(*compared.in, other);
        if (needs && cost_of(other.found) <= cost_of(taken.found)) worst = std::max(worst, excess(bytes, *needs));
    }
    return worst;
}

candidate assess(const std::vector<const comparison*>& possible, const selection& chosen, std::size_t at) {
    candidate entry;
    entry.who = chosen.managers[at];
    for (const comparison* compared : possible) {
        const cell& taken = compared->cells[compared->cell_of[at]];
        const std::optional<std::uint64_t> bytes = bytes_of(*compared->in, taken);
        entry.needs.push_back(bytes);
        if (!bytes) continue;
        ++entry.completed;
        entry.bytes += *bytes;
        entry.cost_us += cost_of(taken.found);
        entry.excess_ppm = std::max(entry.excess_ppm, worst_excess(*compared, taken, *bytes));
    }
    return entry;
}

/// Keeps the candidates for which `value` is least, or at most `slack` above the least.
template <class Value, class Slack>
void keep_least(std::vector<candidate>& all, Value value, Slack slack) {
    if (all.empty()) return;
    std::uint64_t least = value(all.front());
    for (const candidate& entry : all) least = std::min<std::uint64_t>(least, value(entry));
    std::erase_if(all, [&](const candidate& entry) { return value(entry) > slack(least); });
}

/// Returns true if two managers complete the same workloads, and need as much on each.
bool are_equal(const candidate& a, const candidate& b) {
    for (std::size_t at = 0; at < a.needs.size(); ++at) {
        if (a.needs[at].has_value() != b.needs[at].has_value()) return false;
        if (!a.needs[at]) continue;
        const auto [less, more] = std::minmax(*a.needs[at], *b.needs[at]);
        if (excess(more, less) > luck) return false;
    }
    return true;
}

/// Keeps the candidates that need as much as the least, in all or on every workload.
void keep_small(std::vector<candidate>& all) {
    const auto needs = [](const candidate& a, const candidate& b) { return a.bytes < b.bytes; };
    if (all.empty()) return;
    const candidate least = *std::min_element(all.begin(), all.end(), needs);
    std::erase_if(all, [&](const candidate& entry) {
        return excess(entry.bytes, least.bytes) > luck && !are_equal(entry, least);
    });
}

/// Returns the best of the candidates by the rule; they are in list order.
candidate choose(std::vector<candidate> all, std::size_t workloads) {
    const auto exactly = [](std::uint64_t least) { return least; };
    keep_least(
        all, [&](const candidate& entry) { return workloads - entry.completed; }, exactly);
    keep_least(
        all, [](const candidate& entry) { return entry.excess_ppm; },
        [](std::uint64_t least) { return std::max(least, luck); });
    keep_small(all);
    keep_least(
        all, [](const candidate& entry) { return entry.cost_us; }, exactly);
    keep_least(
        all, [](const candidate& entry) { return choices_of(*entry.who); }, exactly);
    return all.empty() ? candidate{} : all.front();
}

/// Returns the simplest manager that completes as much as the best and has fewer choices; ties go to the least need.
candidate choose_simpler(std::vector<candidate> all, const candidate& best) {
    std::erase_if(all, [&](const candidate& entry) {
        return entry.completed != best.completed || choices_of(*entry.who) >= choices_of(*best.who);
    });
    const auto rank = [](const candidate& entry) {
        return std::tuple(choices_of(*entry.who), entry.bytes, entry.cost_us);
    };
    const auto match = std::min_element(all.begin(), all.end(),
                                        [&](const candidate& a, const candidate& b) { return rank(a) < rank(b); });
    return match == all.end() ? candidate{} : *match;
}

/// Returns true if a manager has more than 2^32 - 1 quanta on a workload, so that its type takes 64-bit quanta.
bool needs_wide_quanta(const comparison& compared, std::size_t manager) {
    const cell& taken = compared.cells[compared.cell_of[manager]];
    const std::uint64_t bytes =
        std::max(taken.found.capacity_bytes.value_or(0), taken.found.footprint_bytes.value_or(0));
    return bytes / taken.spec.quantum > std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

recommendation recommend(const std::vector<comparison>& compared, const selection& chosen) {
    recommendation advice;
    std::vector<const comparison*> possible;
    for (const comparison& item : compared)
        if (!must_fail(*item.in)) possible.push_back(&item);
    const std::size_t impossible = compared.size() - possible.size();
    std::erase_if(possible, [](const comparison* entry) { return entry->in->load.rows.empty(); });
    advice.unranked = leave_one_measure(possible);
    advice.workloads = possible.size();
    const auto is_model = [](const manager_entry* entry) { return entry->is_model; };
    const bool has_models_alone = std::all_of(chosen.managers.begin(), chosen.managers.end(), is_model);
    std::vector<candidate> all;
    for (std::size_t at = 0; at < chosen.managers.size(); ++at)
        if (!is_second_name(chosen, at) && (has_models_alone || !is_model(chosen.managers[at])))
            all.push_back(assess(possible, chosen, at));
    advice.taking_part = all.size();
    std::erase_if(all, [](const candidate& item) { return item.completed == 0; });
    advice.best = choose(all, possible.size());
    if (advice.best.who != nullptr) {
        advice.simpler = choose_simpler(all, advice.best);
        for (const candidate& item : all)
            if (item.who != advice.best.who && are_equal(item, advice.best)) advice.equals.push_back(item.who);
        bool is_wide = false;
        for (const comparison* item : possible)
            for (std::size_t at = 0; at < chosen.managers.size(); ++at)
                is_wide = is_wide || (chosen.managers[at] == advice.best.who && needs_wide_quanta(*item, at));
        advice.type = type_text(*advice.best.who, is_wide);
    }
    advice.all = std::move(all);
    advice.sentences = recommendation_sentences(advice, impossible);
    return advice;
}

std::vector<std::size_t> ranked_managers(const selection& chosen, const recommendation& best) {
    std::vector<std::size_t> result;
    for (std::size_t at = 0; at < chosen.managers.size(); ++at)
        if (!is_second_name(chosen, at)) result.push_back(at);
    const auto rank = [&](std::size_t at) {
        const auto known = std::find_if(best.all.begin(), best.all.end(),
                                        [&](const candidate& entry) { return entry.who == chosen.managers[at]; });
        const candidate rated = known == best.all.end() ? candidate{} : *known;
        return std::tuple(chosen.managers[at] != best.best.who, best.workloads - rated.completed, rated.bytes,
                          rated.cost_us);
    };
    std::stable_sort(result.begin(), result.end(),
                     [&](std::size_t first, std::size_t second) { return rank(first) < rank(second); });
    return result;
}

namespace {

/// Returns `all 8 workloads`, with a restriction if some do not count: impossible ones, and those with another measure.
std::string counted_workloads(const recommendation& advice, std::size_t impossible) {
    const bool is_one = advice.workloads == 1;
    const std::size_t restriction = (impossible != 0 ? 1U : 0U) + (advice.unranked != 0 ? 2U : 0U);
    return filled(is_one ? texts::one_workload : texts::all_workloads,
                  {{"workloads", counted(advice.workloads, "workload")},
                   {"counting", std::string((is_one ? texts::one_counting : texts::more_counting)[restriction])}});
}

/// Returns `4.0 %`, or the bytes if that would be next to nothing.
std::string percent_above(std::uint64_t more, std::uint64_t than) {
    const trace::fraction above = trace::fraction::of(more - than, std::max<std::uint64_t>(than, 1));
    return above.millionths < 1000 ? size_in_words(more - than) : percent(above);
}

std::string choice(const recommendation& advice, std::size_t impossible) {
    const candidate& best = advice.best;
    const bool is_all = best.completed == advice.workloads;
    return filled(
        is_all ? texts::take_all : texts::take_some,
        {{"manager", std::string(short_name(*best.who))},
         {"completed", grouped(best.completed)},
         {"workloads", is_all ? counted_workloads(advice, impossible) : counted(advice.workloads, "workload")}});
}

std::string cost_of(const recommendation& advice) {
    const std::uint64_t cost = advice.best.cost_us;
    return filled(cost == 0              ? texts::no_cost
                  : advice.workloads > 1 ? texts::cost_in_all
                                         : texts::cost,
                  {{"time", duration(cost)}});
}

/// Returns 0, 1 or 2 if `a` is less than `b`, equal to it or greater.
std::size_t order(std::uint64_t a, std::uint64_t b) {
    return a < b ? 0 : a == b ? 1 : 2;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
    return a < b ? b - a : a - b;
}

/// Returns the reason if no other manager completes as much.
std::string reason_without_rival(const recommendation& advice) {
    if (advice.taking_part == 1) return std::string(texts::only_one);
    std::size_t most = 0;
    for (const candidate& entry : advice.all)
        if (entry.who != advice.best.who) most = std::max(most, entry.completed);
    return filled(advice.all.size() <= 1 ? texts::no_rival : texts::no_equal_rival, {{"completed", most}});
}

/// Returns the reasons: the other managers that complete as much, and their costs.
std::string reason(const recommendation& advice) {
    const candidate& best = advice.best;
    const candidate* next = nullptr;  // the nearest rival: completes as much, and is next by memory and then by cost
    std::size_t rivals = 0;
    for (const candidate& entry : advice.all) {
        if (entry.completed != best.completed || entry.who == best.who) continue;
        ++rivals;
        if (next == nullptr || std::tuple(entry.bytes, entry.cost_us) < std::tuple(next->bytes, next->cost_us))
            next = &entry;
    }
    if (next == nullptr) return reason_without_rival(advice);
    const auto [less, more] = std::minmax(next->bytes, best.bytes);
    return filled(texts::rivals[order(next->bytes, best.bytes)], {{"count", rivals + 1},
                                                                  {"next", std::string(short_name(*next->who))},
                                                                  {"difference", percent_above(more, less)},
                                                                  {"time", duration(next->cost_us)}});
}

/// Returns a sentence with the managers that need as much; begins with a blank.
std::string equals_of(const recommendation& advice) {
    if (advice.equals.empty()) return {};
    constexpr std::size_t most = 3;
    std::string names;
    for (std::size_t at = 0; at < advice.equals.size() && at < most; ++at)
        append_item(names, short_name(*advice.equals[at]));
    const bool has_more = advice.equals.size() > most;
    return filled(has_more ? texts::more_equals : texts::equals,
                  {{"names", names}, {"count", has_more ? advice.equals.size() - most : 0}});
}

/// Returns a sentence about workloads that do not count, with the reason; begins with a blank.
std::string unranked_workloads(const recommendation& advice) {
    if (advice.unranked == 0) return {};
    return filled(texts::unranked, {{"workloads", counted(advice.unranked, "workload")}});
}

std::string simpler_choice(const recommendation& advice) {
    const candidate& best = advice.best;
    if (advice.simpler.who == nullptr) {
        const candidate& simplest =
            *std::min_element(advice.all.begin(), advice.all.end(), [](const candidate& a, const candidate& b) {
                return choices_of(*a.who) < choices_of(*b.who);
            });
        const bool is_best = choices_of(*simplest.who) >= choices_of(*best.who);
        return filled(!is_best                                 ? texts::simplest_fails
                      : advice.all.size() < advice.taking_part ? texts::none_as_much
                                                               : texts::no_simpler,
                      {{"manager", std::string(short_name(*simplest.who))},
                       {"failures", advice.workloads - simplest.completed},
                       {"workloads", advice.workloads}});
    }
    const candidate& simpler = advice.simpler;
    const bool is_larger = simpler.bytes > best.bytes;
    return filled(
        texts::simpler[order(simpler.cost_us, best.cost_us)],
        {{"manager", std::string(short_name(*simpler.who))},
         {"memory", is_larger ? filled(texts::larger, {{"difference", percent_above(simpler.bytes, best.bytes)}})
                              : std::string(texts::as_small)},
         {"time", duration(distance(simpler.cost_us, best.cost_us))}});
}

}  // namespace

std::vector<std::string> recommendation_sentences(const recommendation& advice, std::size_t impossible) {
    if (advice.workloads == 0 && impossible == 0) return {std::string(texts::no_rows)};
    if (advice.best.who == nullptr)
        return {std::string(advice.workloads == 0 ? texts::none_can : texts::none_does),
                std::string(texts::more_memory), std::string(texts::further_options)};
    return {choice(advice, impossible), reason(advice) + equals_of(advice) + unranked_workloads(advice),
            cost_of(advice), simpler_choice(advice)};
}

}  // namespace hbm::compare
