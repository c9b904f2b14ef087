#include "compare/show/recommendation.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>

#include "compare/managers/named_managers.hpp"
#include "compare/managers/shipped.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Needs that differ by no more are equal, in percent: changing one in a hundred of a placement's choices moves the
/// need of a trace by 1.3 % (standard deviation; bench/RESULTS.md, "Luck").
constexpr std::uint64_t luck = 2;
/// Modelled times that differ by no more are equal, in percent: bandwidths are known no better.
constexpr std::uint64_t model = 5;

/// A manager that completes a workload.
struct candidate {
    std::size_t manager = 0;
    std::uint64_t bytes = 0;    ///< its need; the capacity if that was given
    std::uint64_t cost_us = 0;  ///< modelled time of moves and reloads
    std::size_t choices = 0;

    [[nodiscard]] auto rank() const { return std::tuple(bytes, cost_us, choices, manager); }
    [[nodiscard]] auto simplicity() const { return std::tuple(choices, bytes, cost_us, manager); }
};

/// Returns the memory of a manager by the measure of the scenario. Footprints and minimum capacities are never ranked
/// together.
std::optional<std::uint64_t> bytes_of(const scenario& load, const trace::figures& found) {
    if (!found.completed) return std::nullopt;
    if (load.how == limit::unlimited) return found.footprint_bytes;
    return found.min_capacity_bytes ? found.min_capacity_bytes : found.capacity_bytes;
}

std::vector<candidate> candidates(const comparison& of, const selection& who) {
    const auto is_model = [](const manager_entry* entry) { return entry->is_model; };
    const bool has_models_alone = std::all_of(who.managers.begin(), who.managers.end(), is_model);
    std::vector<candidate> all;
    for (std::size_t at = 0; at < who.managers.size(); ++at) {
        const manager_entry& entry = *who.managers[at];
        if (is_second_name(who, at) || (entry.is_model && !has_models_alone)) continue;
        const trace::figures& found = of.of(at);
        if (const std::optional<std::uint64_t> bytes = bytes_of(*of.in, found))
            all.push_back({at, *bytes, found.move_us + found.reload_us, choices_of(entry)});
    }
    std::sort(all.begin(), all.end(), [](const candidate& a, const candidate& b) { return a.rank() < b.rank(); });
    return all;
}

/// Returns true if `value` is at most `percent` above `least`.
bool is_close(std::uint64_t value, std::uint64_t least, std::uint64_t percent) {
    return value <= least || (value - least) * trace::wide_unsigned{100} <= trace::wide_unsigned{least} * percent;
}

/// Removes the candidates whose `value` is more than `percent` above the least.
void keep_close(std::vector<candidate>& all, std::uint64_t candidate::*value, std::uint64_t percent) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const candidate& each : all) least = std::min(least, each.*value);
    std::erase_if(all, [&](const candidate& each) { return !is_close(each.*value, least, percent); });
}

std::vector<candidate>::const_iterator simplest(const std::vector<candidate>& all) {
    return std::min_element(all.begin(), all.end(),
                            [](const candidate& a, const candidate& b) { return a.simplicity() < b.simplicity(); });
}

}  // namespace

choice choose(const comparison& of, const selection& who) {
    choice result;
    const std::vector<candidate> all = candidates(of, who);
    for (const candidate& each : all) result.ranked.push_back(each.manager);
    if (all.empty() || of.in->load.rows.empty()) return result;
    std::vector<candidate> equal = all;
    keep_close(equal, &candidate::bytes, luck);
    keep_close(equal, &candidate::cost_us, model);
    const candidate best = *simplest(equal);
    result.best = best.manager;
    for (const candidate& each : equal)
        if (each.manager != best.manager) result.equal.push_back(each.manager);
    std::vector<candidate> simpler = all;
    std::erase_if(simpler, [&](const candidate& each) { return each.choices >= best.choices; });
    if (!simpler.empty()) result.simpler = simplest(simpler)->manager;
    return result;
}

namespace {

std::uint64_t cost_of(const trace::figures& found) {
    return found.move_us + found.reload_us;
}

std::string name_of(const selection& who, std::size_t manager) {
    return std::string(short_name(*who.managers[manager]));
}

/// Returns what a manager needs and spends on moves and reloads: `103.25M, 12.1 ms`.
std::string price_of(const comparison& of, std::size_t manager) {
    const trace::figures& found = of.of(manager);
    std::string text;
    if (of.in->how != limit::given) append_item(text, size_in_words(*bytes_of(*of.in, found)));
    append_item(text, cost_of(found) == 0 ? "no relief" : duration(cost_of(found)));
    return text;
}

/// Returns what a manager needs and spends more than the best: `+12.0 % +3.0 ms`.
std::string difference(const comparison& of, std::size_t manager, std::size_t best) {
    const std::uint64_t bytes = *bytes_of(*of.in, of.of(manager));
    const std::uint64_t best_bytes = *bytes_of(*of.in, of.of(best));
    const std::uint64_t cost = cost_of(of.of(manager));
    const std::uint64_t best_cost = cost_of(of.of(best));
    std::string text;
    if (bytes > best_bytes) append_item(text, "+" + percent(trace::fraction::of(bytes - best_bytes, best_bytes)), " ");
    if (cost > best_cost) append_item(text, "+" + duration(cost - best_cost), " ");
    return text;
}

/// Returns true if a manager simpler than `best` was compared, though it fails.
bool has_simpler(const selection& who, std::size_t best) {
    return std::any_of(who.managers.begin(), who.managers.end(), [&](const manager_entry* entry) {
        return !entry->is_model && choices_of(*entry) < choices_of(*who.managers[best]);
    });
}

/// Returns as many names as `room` characters hold, and the number of others.
std::string equal_names(const selection& who, const std::vector<std::size_t>& equal, std::size_t room) {
    std::string names;
    for (std::size_t at = 0; at < equal.size(); ++at) {
        std::string longer = names;
        append_item(longer, name_of(who, equal[at]));
        const std::size_t others = at + 1 < equal.size() ? std::string_view(" and 10 more").size() : 0;
        if (longer.size() + others > room) {
            const std::string count = std::to_string(equal.size() - at);
            return at == 0 ? count + (equal.size() == 1 ? " other" : " others") : names + " and " + count + " more";
        }
        names = longer;
    }
    return names;
}

/// Returns the answer for a workload, in `room` characters if possible; `verb` comes before the manager to take.
std::string sentence(const comparison& of, const selection& who, std::string_view verb, std::size_t room) {
    const scenario& in = *of.in;
    if (in.load.rows.empty()) return "there is nothing to replay.";
    if (must_fail(in))
        return "no manager can complete it: it needs " + size_in_words(in.min_bytes) + " at once, of " +
               size_in_words(in.device.capacity) + ".";
    const choice chosen = choose(of, who);
    if (!chosen.best) return "no manager compared completes it. Why not: --on-oom FILE.";
    std::string text = std::string(verb) + name_of(who, *chosen.best) + ", " + price_of(of, *chosen.best);
    if (chosen.simpler)
        text += "; simpler: " + name_of(who, *chosen.simpler) + " " + difference(of, *chosen.simpler, *chosen.best);
    else if (has_simpler(who, *chosen.best))
        text += "; nothing simpler completes it";
    if (!chosen.equal.empty()) {
        text += "; equal: ";
        text += equal_names(who, chosen.equal, room - std::min(room, text.size() + 1));
    }
    return text + '.';
}

/// Returns true if a manager has more than 2^32 - 1 quanta on a workload, so that its type takes 64-bit quanta.
bool needs_wide_quanta(const comparison& of, std::size_t manager) {
    const cell& taken = of.cells[of.cell_of[manager]];
    const std::uint64_t bytes =
        std::max(taken.found.capacity_bytes.value_or(0), taken.found.footprint_bytes.value_or(0));
    return bytes / taken.spec.quantum > std::numeric_limits<std::uint32_t>::max();
}

std::vector<answer_value> row_of(const comparison& of, const selection& who) {
    const choice chosen = choose(of, who);
    if (!chosen.best) return {{.text = of.in->title}, {}, {}, {}, {}, {}, {}};
    const trace::figures& found = of.of(*chosen.best);
    std::string equal;
    for (const std::size_t manager : chosen.equal) append_item(equal, who.managers[manager]->name);
    return {{.text = of.in->title},
            {.text = std::string(who.managers[*chosen.best]->name)},
            {.text = type_text(*who.managers[*chosen.best], needs_wide_quanta(of, *chosen.best))},
            {.bytes = bytes_of(*of.in, found)},
            {.count = cost_of(found)},
            {.text = chosen.simpler ? std::string(who.managers[*chosen.simpler]->name) : std::string{}},
            {.text = equal}};
}

/// Returns the title of a workload, without the parameters of its generator if that is clear.
std::string brief_title(const result& of, const comparison& each) {
    const std::string& title = each.in->title;
    const std::string brief = title.substr(0, title.find(':'));
    const auto has_name = [&](const comparison& other) { return other.in->title.starts_with(brief); };
    const bool is_generated = each.in->at.what == workload_point::kind::generated;
    return is_generated && std::count_if(of.workloads.begin(), of.workloads.end(), has_name) == 1 ? brief : title;
}

}  // namespace

answer recommendation(const result& of) {
    constexpr std::size_t line = 100;  // characters
    answer made{.kind = "comparison"};
    if (of.cut) made.headline = interruption_words(*of.cut);
    if (count_managers(of.who) < 2) return made;
    made.tables.push_back({.key = "workloads",
                           .title = "What to take",
                           .columns = {"workload", "take", "type", "needs_bytes", "relief_us", "simpler", "equal"},
                           .rows = {},
                           .most_rows = 0});
    if (of.workloads.size() > 1)
        append_item(made.headline,
                    "What to take, what a simpler one costs more, and what is equal: within 2 % of memory and 5 % of "
                    "modelled time of moves and reloads (relief).",
                    " ");
    std::size_t width = 0;
    for (const comparison& each : of.workloads) width = std::max(width, brief_title(of, each).size());
    for (const comparison& each : of.workloads) {
        made.tables.back().rows.push_back(row_of(each, of.who));
        std::string title = brief_title(of, each);
        if (of.workloads.size() == 1) {
            append_item(made.headline, title + ": " + sentence(each, of.who, "take ", line), " ");
            return made;
        }
        title.resize(std::max(title.size(), width), ' ');
        made.notes.push_back(
            {.text = title + "  " + sentence(each, of.who, {}, line - std::min(line, width + 2)) + '\n'});
    }
    return made;
}

}  // namespace hbm::compare
