#include "compare/texts/recommendation.hpp"

#include <hbm/explain/json_writer.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

#include "compare/cells/grid.hpp"
#include "compare/managers/default_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/replay/numbers.hpp"

namespace hbm::compare {

namespace {

constexpr std::uint64_t one_percent = 10'000;  // one percent in millionths

std::uint64_t cost_of(const trace::figures& found) {
    return found.move_us + found.reload_us;
}

/// Returns the memory of a manager on a workload, by the measure of the scenario; empty if unknown. Under an unlimited
/// capacity only footprints count: a minimum capacity is another measure. With variants, their median counts.
std::optional<std::uint64_t> bytes_of(const scenario& in, const cell& taken) {
    const trace::figures& found = taken.found;
    if (!found.completed || (in.how == limit::unlimited && !found.footprint_bytes)) return std::nullopt;
    if (taken.needs) return taken.needs->median;
    if (in.how == limit::unlimited) return found.footprint_bytes;
    return found.min_capacity_bytes ? found.min_capacity_bytes : found.capacity_bytes;
}

/// Returns true if the needs of two managers on a workload differ by luck alone, as far as variants show.
bool differ_by_luck(const cell& a, const cell& b) {
    return a.needs && b.needs && are_equal_within_luck(*a.needs, *b.needs);
}

/// Removes workloads with footprints if others have minimum capacities, which cannot be ranked together. Returns their
/// number.
std::size_t leave_one_measure(std::vector<const comparison*>& possible) {
    const auto has_minimum = [](const comparison* each) {
        return each->in->how == limit::minimum || each->in->how == limit::needed;
    };
    if (std::none_of(possible.begin(), possible.end(), has_minimum)) return 0;
    return std::erase_if(possible, [](const comparison* each) { return each->in->how == limit::unlimited; });
}

/// Returns `a` above `b` in millionths, 0 if it is not above.
std::uint64_t excess(std::uint64_t a, std::uint64_t b) {
    if (a <= b) return 0;
    return trace::fraction::of(a - b, std::max<std::uint64_t>(b, 1)).millionths;
}

/// Returns the excess of a manager's memory on a workload over the least of managers that cost no more, in millionths.
/// Differences by luck do not count.
std::uint64_t worst_excess(const comparison& compared, const cell& taken, std::uint64_t bytes) {
    std::uint64_t worst = 0;
    for (const cell& other : compared.cells) {
        const std::optional<std::uint64_t> needs = bytes_of(*compared.in, other);
        if (needs && cost_of(other.found) <= cost_of(taken.found) && !differ_by_luck(taken, other))
            worst = std::max(worst, excess(bytes, *needs));
    }
    return worst;
}

candidate assess(const std::vector<const comparison*>& possible, const selection& who, std::size_t at) {
    candidate made;
    made.who = who.managers[at];
    for (const comparison* each : possible) {
        const cell& taken = each->cells[each->cell_of[at]];
        made.cells.push_back(&taken);
        const std::optional<std::uint64_t> bytes = bytes_of(*each->in, taken);
        if (!bytes) continue;
        ++made.completed;
        made.bytes += *bytes;
        made.cost_us += cost_of(taken.found);
        made.excess_ppm = std::max(made.excess_ppm, worst_excess(*each, taken, *bytes));
    }
    return made;
}

/// Keeps the candidates for which `value` is least, or at most `slack` above the least.
template <class Value, class Slack>
void keep_least(std::vector<candidate>& all, Value value, Slack slack) {
    if (all.empty()) return;
    std::uint64_t least = value(all.front());
    for (const candidate& each : all) least = std::min<std::uint64_t>(least, value(each));
    std::erase_if(all, [&](const candidate& each) { return value(each) > slack(least); });
}

/// Returns true if the median needs of two managers differ by at most 1 %.
bool are_close(const luck& a, const luck& b) {
    const auto [less, more] = std::minmax(a.median, b.median);
    return more - less <= less / 100;
}

/// Returns true if two managers complete the same workloads, and their needs differ by luck alone or by at most 1 % on
/// those with variants, of which there is one.
bool are_equal(const candidate& a, const candidate& b) {
    bool has_needs = false;
    for (std::size_t at = 0; at < a.cells.size(); ++at) {
        const cell& left = *a.cells[at];
        const cell& right = *b.cells[at];
        if (left.found.completed != right.found.completed) return false;
        if (!left.needs && !right.needs) continue;
        if (!left.needs || !right.needs) return false;
        if (!differ_by_luck(left, right) && !are_close(*left.needs, *right.needs)) return false;
        has_needs = true;
    }
    return has_needs;
}

/// Keeps the candidates that need at most 1 % more than the least, or as much within luck or 1 % on every workload.
void keep_small(std::vector<candidate>& all) {
    const auto needs = [](const candidate& a, const candidate& b) { return a.bytes < b.bytes; };
    if (all.empty()) return;
    const candidate least = *std::min_element(all.begin(), all.end(), needs);
    std::erase_if(all, [&](const candidate& entry) {
        return entry.bytes > least.bytes + least.bytes / 100 && !are_equal(entry, least);
    });
}

/// Returns the best of the candidates by the rule; they are in list order.
candidate choose(std::vector<candidate> all, std::size_t workloads) {
    const auto exactly = [](std::uint64_t least) { return least; };
    keep_least(
        all, [&](const candidate& each) { return workloads - each.completed; }, exactly);
    keep_least(
        all, [](const candidate& each) { return each.excess_ppm; },
        [](std::uint64_t least) { return std::max(least, one_percent); });
    keep_small(all);
    keep_least(
        all, [](const candidate& each) { return each.cost_us; }, exactly);
    keep_least(
        all, [](const candidate& each) { return choices_of(*each.who); }, exactly);
    return all.empty() ? candidate{} : all.front();
}

/// Returns the simplest manager that completes as much as the best and has fewer choices; ties go to the least need.
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
    std::erase_if(possible, [](const comparison* entry) { return entry->in->load.rows.empty(); });
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
        for (const candidate& each : all)
            if (each.who != made.best.who && are_equal(each, made.best)) made.equals.push_back(each.who);
        bool is_wide = false;
        for (const comparison* each : possible)
            for (std::size_t at = 0; at < who.managers.size(); ++at)
                is_wide = is_wide || (who.managers[at] == made.best.who && each->cells[each->cell_of[at]].is_wide);
        made.type = type_text(*made.best.who, is_wide);
    }
    made.all = std::move(all);
    made.sentences = recommendation_sentences(made, impossible);
    return made;
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
std::string workload_words(const recommendation& made, std::size_t impossible) {
    const bool is_one = made.workloads == 1;
    std::string words = !is_one         ? "all " + workloads_in_words(made.workloads, made.is_sweep)
                        : made.is_sweep ? "the point of the sweep"
                                        : "the workload";
    std::string which;
    if (impossible != 0) which += is_one ? " that fits at all" : " that fit at all";
    if (made.unranked != 0) which += (which.empty() ? " that " : " and ") + std::string(is_one ? "counts" : "count");
    return words + which;
}

/// Returns `4.0 %`, or the bytes if that would be next to nothing.
std::string percent_above(std::uint64_t more, std::uint64_t than) {
    const trace::fraction above = trace::fraction::of(more - than, std::max<std::uint64_t>(than, 1));
    return above.millionths < 1000 ? size_in_words(more - than) : percent(above);
}

std::string what_to_take(const recommendation& made, std::size_t impossible) {
    const candidate& best = made.best;
    std::string words = "Take " + std::string(short_name(*best.who)) + ": it completes ";
    if (best.completed == made.workloads)
        words += workload_words(made, impossible);
    else
        words += grouped(best.completed) + " of " + workloads_in_words(made.workloads, made.is_sweep);
    return words + ".";
}

std::string cost_words(const recommendation& taken) {
    const std::uint64_t cost = taken.best.cost_us;
    if (cost == 0) return "It costs nothing: no moves, no reloads.";
    return "It costs " + duration(cost) + " of modelled moves and reloads" + (taken.workloads > 1 ? " in all." : ".");
}

/// Returns the reasons: the other managers that complete as much, and their costs.
std::string why(const recommendation& made) {
    const std::vector<candidate>& all = made.all;
    const candidate& best = made.best;
    const candidate* next = nullptr;  // the nearest rival: completes as much, and is next by memory and then by cost
    std::size_t rivals = 0;
    for (const candidate& each : all) {
        if (each.completed != best.completed || each.who == best.who) continue;
        ++rivals;
        const auto worse = [](const candidate& a, const candidate& b) {
            return a.bytes != b.bytes ? a.bytes > b.bytes : a.cost_us > b.cost_us;
        };
        if (next == nullptr || worse(*next, each)) next = &each;
    }
    if (next == nullptr) {
        if (made.taking_part == 1)
            return "It is the only manager compared: without --manager, the default managers are.";
        std::size_t most = 0;
        for (const candidate& each : all)
            if (each.who != best.who) most = std::max(most, each.completed);
        return all.size() <= 1 ? "No other manager compared completes any of them."
                               : "No other completes as many: the next completes " + std::to_string(most) + ".";
    }
    std::string words = "None of the " + std::to_string(rivals + 1) + " that complete as much is over 1 % smaller " +
                        (made.is_sweep ? "at any point" : "on any workload") + " without costing more there; ";
    if (next->bytes < best.bytes)
        words += std::string(short_name(*next->who)) + " needs " + percent_above(best.bytes, next->bytes) + " less";
    else if (next->bytes > best.bytes)
        words += "the next, " + std::string(short_name(*next->who)) + ", needs " +
                 percent_above(next->bytes, best.bytes) + " more";
    else
        words += std::string(short_name(*next->who)) + " needs as much";
    return words + " memory and spends " + duration(next->cost_us) + ".";
}

/// Returns a sentence with the managers that need as much, within luck or 1 %; begins with a blank.
std::string equals_words(const recommendation& advice) {
    if (advice.equals.empty()) return {};
    constexpr std::size_t most = 3;
    std::string words = " Equal within luck or 1 %: ";
    for (std::size_t at = 0; at < advice.equals.size() && at < most; ++at)
        words += (at == 0 ? "" : ", ") + std::string(short_name(*advice.equals[at]));
    if (advice.equals.size() > most) words += " and " + std::to_string(advice.equals.size() - most) + " more";
    return words + ".";
}

/// Returns a sentence about workloads that do not count, with the reason; begins with a blank.
std::string unranked_words(const recommendation& made) {
    if (made.unranked == 0) return {};
    return " Not counted: " + counted(made.unranked, made.is_sweep ? "point" : "workload") +
           " in unlimited memory, where footprints are another measure; --capacity unlimited alone ranks them.";
}

std::string simpler_words(const recommendation& made) {
    const candidate& best = made.best;
    if (made.simpler.who == nullptr) {
        const auto simplest =
            std::min_element(made.all.begin(), made.all.end(), [](const candidate& a, const candidate& b) {
                return choices_of(*a.who) < choices_of(*b.who);
            });
        if (choices_of(*simplest->who) >= choices_of(*best.who))
            return made.all.size() < made.taking_part ? "No simpler manager of those compared completes as much."
                                                      : "No simpler manager was compared.";
        return "No simpler manager completes as much: " + std::string(short_name(*simplest->who)) + " fails " +
               std::to_string(made.workloads - simplest->completed) + " of " + std::to_string(made.workloads) + ".";
    }
    const candidate& simpler = made.simpler;
    std::string words = "Simpler: " + std::string(short_name(*simpler.who)) + " completes as much in ";
    if (simpler.bytes > best.bytes)
        words += percent_above(simpler.bytes, best.bytes) + " more memory";
    else
        words += "no more memory";
    if (simpler.cost_us > best.cost_us)
        words += ", at " + duration(simpler.cost_us - best.cost_us) + " more";
    else if (simpler.cost_us < best.cost_us)
        words += ", at " + duration(best.cost_us - simpler.cost_us) + " less";
    else
        words += ", at the same cost";
    return words + ".";
}

void add_candidate(json_writer& json, const candidate& each) {
    json.begin_object();
    json.field("manager", each.who->name);
    json.field("completed", std::uint64_t{each.completed});
    json.field("bytes", each.bytes);
    json.field("cost_us", each.cost_us);
    json.end_object();
}

}  // namespace

std::vector<std::string> recommendation_sentences(const recommendation& made, std::size_t impossible) {
    if (made.workloads == 0 && impossible == 0) return {"There is nothing to replay, so no manager is recommended."};
    if (made.best.who == nullptr)
        return {
            "No manager " +
                std::string(made.workloads == 0 ? "can complete any of these " : "compared completes any of these ") +
                (made.is_sweep ? "points of the sweep" : "workloads") +
                (made.workloads == 0 ? ": they need more memory." : "."),
            "Take more memory, or have less in use at once.",
            "To see what each manager needs: --capacity min; what is in the way: --on-oom FILE."};
    return {what_to_take(made, impossible), why(made) + equals_words(made) + unranked_words(made), cost_words(made),
            simpler_words(made)};
}

std::string recommendation_text(const recommendation& made) {
    std::string text;
    for (const std::string& each : made.sentences) text += each + '\n';
    if (!made.type.empty()) text += "\n#include <hbm/hbm.hpp>\nusing memory = " + made.type + ";\n";
    return text;
}

std::string recommendation_json(const recommendation& made) {
    json_writer json;
    json.begin_object();
    json.field("workloads", std::uint64_t{made.workloads});
    for (const auto& [key, entry] : {std::pair{"best", &made.best}, std::pair{"simpler", &made.simpler}}) {
        json.key(key);
        if (entry->who == nullptr)
            json.null();
        else
            add_candidate(json, *entry);
    }
    if (!made.equals.empty()) {
        json.key("equal_within_luck");
        json.begin_array();
        for (const manager_entry* entry : made.equals) json.value(entry->name);
        json.end_array();
    }
    json.key("sentences");
    json.begin_array();
    for (const std::string& entry : made.sentences) json.value(std::string_view(entry));
    json.end_array();
    json.field("type", std::string_view(made.type));
    json.end_object();
    return json.text();
}

}  // namespace hbm::compare
