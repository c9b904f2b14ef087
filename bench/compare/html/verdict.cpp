#include <hbm/report/words.hpp>

#include <algorithm>
#include <tuple>

#include "compare/html/overview.hpp"
#include "compare/named_managers.hpp"
#include "compare/numbers.hpp"

namespace hbm::compare {

namespace {

/// A manager over all workloads that any manager completes.
struct standing {
    std::size_t manager = 0;
    std::size_t failures = 0;
    std::uint64_t overhead = 0;  // the sum over workloads, in millionths
    std::size_t measured = 0;    // the workloads in that sum
    std::uint64_t price_us = 0;
    std::size_t policies = 0;

    [[nodiscard]] std::uint64_t mean() const { return measured == 0 ? 0 : overhead / measured; }
};

std::size_t policies_of(const manager_entry& who) {
    const std::string_view name = who.full_name;
    return static_cast<std::size_t>(std::count(name.begin(), name.end(), '<') + (who.evicts ? 1 : 0) +
                                    (who.donates ? 1 : 0));
}

std::vector<standing> standings(const std::vector<comparison>& all, const selection& who) {
    std::vector<standing> made;
    for (std::size_t manager = 0; manager < who.managers.size(); ++manager) {
        const manager_entry& entry = *who.managers[manager];
        if (is_second_name(who, manager)) continue;
        standing sum{.manager = manager, .policies = policies_of(entry)};
        for (const comparison& each : all) {
            if (all_fail(each)) continue;
            const trace::figures& found = each.of(manager);
            if (!found.completed) {
                ++sum.failures;
                continue;
            }
            sum.price_us += price_of(found);
            const std::optional<need> needs = need_of(*each.in, entry, found);
            if (!needs || !needs->is_comparable) continue;
            sum.overhead += needs->overhead.millionths;
            ++sum.measured;
        }
        made.push_back(sum);
    }
    return made;
}

std::string workloads_in_words(std::size_t count) {
    return count == 1 ? "the workload" : "all " + std::to_string(count) + " workloads";
}

std::string more_in_words(const standing& than, const standing& best) {
    if (than.measured != best.measured || best.mean() == 0 || than.mean() <= best.mean()) return {};
    return percent(trace::fraction::of(than.mean() - best.mean(), best.mean()));
}

/// What nobody can complete.
void add_impossible(verdict& into, const std::vector<comparison>& all) {
    for (const comparison& each : all) {
        if (!all_fail(each)) continue;
        const scenario& in = *each.in;
        std::string words = "No manager completes " + in.load.name;
        if (in.how == limit::given && in.min_bytes > in.device.capacity)
            words += ": it needs at least " + size_in_words(in.min_bytes) + ", and the memory has " +
                     size_in_words(in.device.capacity);
        into.more.push_back(words + ".");
    }
}

void add_simpler(verdict& into, const std::vector<standing>& ranked, const selection& who) {
    const standing& best = ranked.front();
    const auto simpler = std::find_if(ranked.begin(), ranked.end(), [&](const standing& each) {
        return each.failures == best.failures && each.policies < best.policies;
    });
    if (simpler == ranked.end()) return;
    into.simple = simpler->manager;
    std::string words = std::string(who.managers[simpler->manager]->name) + " is simpler";
    const std::string costs = more_in_words(*simpler, best);
    words += costs.empty() ? std::string(" and needs no more memory") : " and needs " + costs + " more memory";
    if (simpler->price_us != best.price_us)
        words += "; moves and reloads take " + duration(simpler->price_us) + " instead of " + duration(best.price_us);
    into.more.push_back(words + ".");
}

}  // namespace

verdict verdict_of(const std::vector<comparison>& all, const selection& who) {
    verdict made;
    const std::size_t possible = static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const auto& each) { return !all_fail(each); }));
    std::vector<standing> ranked = standings(all, who);
    if (possible == 0 || ranked.empty()) {
        made.sentence = "No manager completes " + std::string(all.size() == 1 ? "the workload." : "any workload.");
        add_impossible(made, all);
        return made;
    }
    // Who was measured on fewer workloads cannot be ranked by memory.
    const auto rank = [](const standing& each) {
        return std::tuple(each.failures, ~each.measured, each.mean(), each.price_us, each.policies, each.manager);
    };
    std::sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    const standing& best = ranked.front();
    made.best = best.manager;
    const std::size_t completed = possible - best.failures;
    made.sentence = "Take " + std::string(who.managers[best.manager]->name) + ": it completes ";
    made.sentence += completed != possible
                         ? std::to_string(completed) + " of " + std::to_string(possible) + " workloads"
                     : completed == all.size() ? workloads_in_words(completed)
                                               : "every workload that any manager completes";
    const auto other = std::find_if(ranked.begin() + 1, ranked.end(),
                                    [&](const standing& each) { return !more_in_words(each, best).empty(); });
    if (other != ranked.end())
        made.sentence += " and needs " + percent(trace::fraction::of(other->mean() - best.mean(), other->mean())) +
                         " less memory than " + std::string(who.managers[other->manager]->name);
    made.sentence += ".";
    if (best.price_us != 0) made.more.push_back("Its moves and reloads take " + duration(best.price_us) + " in all.");
    add_simpler(made, ranked, who);
    add_impossible(made, all);
    return made;
}

}  // namespace hbm::compare
