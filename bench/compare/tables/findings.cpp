#include <hbm/explain/words.hpp>

#include <algorithm>
#include <map>
#include <string_view>

#include "compare/cells/grid.hpp"
#include "compare/managers/default_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/report.hpp"

namespace hbm::compare {

namespace {

using row_list = std::vector<const folded_row*>;

template <class Condition>
row_list pick(const std::vector<folded_row>& rows, Condition holds) {
    row_list picked;
    for (const folded_row& row : rows)
        if (holds(row)) picked.push_back(&row);
    return picked;
}

std::size_t managers_in(const row_list& rows) {
    std::size_t count = 0;
    for (const folded_row* row : rows) count += 1 + row->others;
    return count;
}

/// Returns the first managers of the first few rows, and the number of further managers in the rows. A sentence is true
/// of all of them, even if the table folds them otherwise.
std::string names(const row_list& rows, std::size_t max_names = 3) {
    std::string words;
    std::size_t named = 0;
    for (; named < rows.size() && named < max_names; ++named)
        words += (named == 0 ? "" : ", ") + std::string(short_name(*rows[named]->who));
    if (const std::size_t left = managers_in(rows) - named; left != 0) words += " and " + grouped(left) + " more";
    return words;
}

std::string need_words(const scenario& in, const folded_row& row, std::uint64_t bytes) {
    std::string words = size_in_words(bytes);
    if (in.has_programs && in.min_bytes != 0)  // each has a peak of its own, as some evict more than others
        words += ", " + rounded(trace::fraction::of(bytes, in.min_bytes), 2) + " times the " +
                 size_in_words(in.min_bytes) + " needed at least";
    else if (row.found->peak_live_bytes != 0)
        words +=
            ", " + rounded(trace::fraction::of(bytes, row.found->peak_live_bytes), 2) + " times its peak live bytes";
    return words;
}

/// Measure of memory, in words.
struct measure_words {
    std::string_view name;
    std::string_view has;   ///< words after a manager
    std::string_view same;  ///< words before a quantity that is the same for all
};

/// Adds the managers with the least and the most of a measure, if it is available.
template <class Bytes>
void add_needs(std::vector<std::string>& into, const scenario& in, const std::vector<folded_row>& rows,
               const measure_words& what, Bytes bytes) {
    const row_list known = pick(rows, [&](const folded_row& row) { return bytes(row).has_value(); });
    if (known.empty()) return;
    const auto needing = [&](const folded_row* as) {
        return pick(rows, [&](const folded_row& row) { return bytes(row) == bytes(*as); });
    };
    const auto words = [&](const folded_row* row) { return need_words(in, *row, *bytes(*row)); };
    const auto [smallest, largest] = std::minmax_element(
        known.begin(), known.end(), [&](const folded_row* a, const folded_row* b) { return *bytes(*a) < *bytes(*b); });
    const row_list least = needing(*smallest);
    const row_list most = needing(*largest);
    if (known.size() == 1) {
        into.push_back(names(least) + std::string(what.has) + words(least.front()) + ".");
    } else if (least.size() == known.size()) {
        into.push_back(std::string(what.same) + words(least.front()) + ".");
    } else {
        into.push_back("Least " + std::string(what.name) + ": " + names(least) + " with " + words(least.front()) +
                       "; most: " + names(most) + " with " + words(most.front()) + ".");
    }
}

/// Adds a warning if the search observed a failure above a minimum capacity, which is only the least that works.
void add_larger_failures(std::vector<std::string>& into, const std::vector<folded_row>& rows) {
    const row_list seen =
        pick(rows, [](const folded_row& row) { return row.minimum() && row.found->min_larger_fails_bytes; });
    if (seen.empty()) return;
    const folded_row& first = *seen.front();
    into.push_back(std::string(least_that_works) + names(seen) + ": " + std::string(short_name(*first.who)) +
                   " completes in " + size_in_words(*first.minimum()) + " and fails in " +
                   size_in_words(*first.found->min_larger_fails_bytes) + ".");
}

/// Adds the reason why no manager can complete the workload.
void add_impossibility(std::vector<std::string>& into, const scenario& in) {
    if (!must_fail(in)) return;
    into.push_back("No manager can complete it: at least " + size_in_words(in.min_bytes) + " is needed at once, " +
                   size_in_words(in.min_bytes - in.device.capacity / in.device.quantum * in.device.quantum) +
                   " more than there is. To see what each manager needs: --capacity min.");
}

/// Adds that the workload fits a device, if every manager completes it; failures are reported elsewhere.
void add_fitting(std::vector<std::string>& into, const scenario& in, const std::vector<folded_row>& rows) {
    const bool is_said = in.at.what == sweep_point::kind::programs;  // notes of programs report it
    if (is_said || in.how != limit::given || rows.empty() ||
        !pick(rows, [](const folded_row& row) { return !row.found->completed; }).empty())
        return;
    const std::uint64_t capacity = in.device.capacity / in.device.quantum * in.device.quantum;
    const std::size_t count = managers_in(pick(rows, [](const folded_row&) { return true; }));
    into.push_back((count == 1 ? std::string(short_name(*rows.front().who)) : "Every manager") + " completes it in " +
                   size_in_words(capacity) + "; " + (in.has_programs ? "at least " : "") + size_in_words(in.min_bytes) +
                   (in.has_programs ? " is needed." : " is live at the peak."));
}

/// Adds the managers that fail, and those that fail although enough was free.
void add_failing(std::vector<std::string>& into, const std::vector<folded_row>& rows, const row_list& failing,
                 std::size_t max_names) {
    const row_list all = pick(rows, [](const folded_row&) { return true; });
    const std::size_t count = managers_in(failing);
    into.push_back((count == managers_in(all)
                        ? count == 1 ? "It fails" : "All " + std::to_string(count) + " managers fail"
                        : std::to_string(count) + " of " + std::to_string(managers_in(all)) + " managers " +
                              (count == 1 ? "fails" : "fail")) +
                   ": " + names(failing, max_names) + ".");
    const row_list scattered = pick(rows, [](const folded_row& row) { return row.found->oom_with_enough_free != 0; });
    if (!scattered.empty())
        into.push_back("Enough was free, but not in one piece or not in the right place, for " + names(scattered) +
                       ".");
}

/// Adds the managers that fail, and each different message once.
void add_failures(std::vector<std::string>& into, const std::vector<folded_row>& rows, bool is_brief,
                  bool only_messages) {
    const std::size_t max_messages = is_brief ? 1 : 3;
    const row_list failing = pick(rows, [](const folded_row& row) { return !row.found->completed; });
    if (failing.empty()) return;
    if (!only_messages) add_failing(into, rows, failing, is_brief ? 2 : 4);
    std::vector<std::string_view> messages;
    for (const folded_row* row : failing) {
        const std::string_view message = *row->found->error;
        if (std::find(messages.begin(), messages.end(), message) != messages.end() || messages.size() == max_messages)
            continue;
        messages.push_back(message);
        into.push_back(std::string(short_name(*row->who)) + " at event " + grouped(*row->found->failed_event) + ": " +
                       *row->found->error);
    }
}

/// Adds the managers with costs of some kind: the least and the highest time, with what it was spent on.
template <class Paid, class Time, class Words>
void add_payers(std::vector<std::string>& into, const std::vector<folded_row>& rows, std::string_view how, Paid paid,
                Time time, Words words) {
    row_list payers = pick(rows, [&](const folded_row& row) { return paid(*row.found) != 0; });
    if (payers.empty()) return;
    std::stable_sort(payers.begin(), payers.end(),
                     [&](const folded_row* a, const folded_row* b) { return time(*a->found) < time(*b->found); });
    const auto like = [&](const folded_row* payer) {
        return pick(rows, [&](const folded_row& row) {
            return paid(*row.found) != 0 && time(*row.found) == time(*payer->found) &&
                   words(*row.found) == words(*payer->found);
        });
    };
    const auto price = [&](const row_list& group) {
        const trace::figures& figures = *group.front()->found;
        return duration(time(figures)) + " (" + names(group, 1) + ", " + words(figures) + ")";
    };
    const row_list first = like(payers.front());
    const row_list last = like(payers.back());
    std::string text = std::string(how) + ": " + price(first);
    if (first.front() != last.front()) {
        text += " to " + price(last);
        const std::size_t between = managers_in(payers) - managers_in(first) - managers_in(last);
        if (between != 0) text += "; " + counted(between, "manager") + " in between";
    }
    into.push_back(text + ".");
}

void add_prices(std::vector<std::string>& into, const std::vector<folded_row>& rows) {
    add_payers(
        into, rows, "Cost of moving", [](const trace::figures& found) { return found.moves; },
        [](const trace::figures& found) { return found.move_us; },
        [](const trace::figures& found) {
            return size_in_words(found.moved_bytes) + " in " + counted(found.moves, "move");
        });
    add_payers(
        into, rows, "Cost of evicting", [](const trace::figures& found) { return found.evictions; },
        [](const trace::figures& found) { return found.reload_us; },
        [](const trace::figures& found) {
            return counted(found.evictions, "eviction") + " of " + size_in_words(found.evicted_bytes) + ", " +
                   counted(found.reloads, "reload");
        });
}

bool is_same_without_donation(const manager_entry& with, const manager_entry& without) {
    return without.placement == with.placement && without.eviction == with.eviction && without.relief == with.relief &&
           !without.donates;
}

/// Adds the savings of donation: a manager compared with the same manager without donation.
void add_donations(std::vector<std::string>& into, const std::vector<folded_row>& rows) {
    for (const folded_row& with : rows) {
        if (!with.who->donates || with.found->donations_taken == 0) continue;
        for (const folded_row& without : rows) {
            if (!is_same_without_donation(*with.who, *without.who)) continue;
            std::string text = "Donation (" + std::string(short_name(*with.who)) + " compared with " +
                               std::string(short_name(*without.who)) + "): " + grouped(with.found->donations_taken) +
                               " of " + grouped(with.found->donations_offered) + " donors taken, " +
                               size_in_words(with.found->donated_bytes) + " never allocated afresh";
            const std::string peak = size_in_words(with.found->peak_live_bytes);
            const std::string peak_without = size_in_words(without.found->peak_live_bytes);
            // Peaks in memories of different sizes cannot be compared.
            const bool same_memory = with.found->capacity_bytes == without.found->capacity_bytes &&
                                     with.found->min_capacity_bytes == without.found->min_capacity_bytes;
            if (with.found->completed && without.found->completed && same_memory && peak != peak_without)
                text += "; the peak is " + peak + " instead of " + peak_without;
            else if (with.found->completed && !without.found->completed)
                text += "; it completes only so";
            into.push_back(text + ".");
            return;
        }
    }
}

/// Adds the fragmentation, if a manager completes and nothing else distinguishes the managers.
void add_fragmentation(std::vector<std::string>& into, const std::vector<folded_row>& rows) {
    row_list known =
        pick(rows, [](const folded_row& row) { return row.found->completed && row.found->fragmentation_mean; });
    if (known.size() < 2) return;
    std::stable_sort(known.begin(), known.end(), [](const folded_row* a, const folded_row* b) {
        return *a->found->fragmentation_mean < *b->found->fragmentation_mean;
    });
    const trace::fraction least = *known.front()->found->fragmentation_mean;
    const trace::fraction most = *known.back()->found->fragmentation_mean;
    if (least == most) return;
    const auto with = [&](const trace::fraction& part) {
        row_list made;
        for (const folded_row* row : known)
            if (*row->found->fragmentation_mean == part) made.push_back(row);
        return names(made, 1);
    };
    into.push_back("Lowest mean fragmentation: " + with(least) + ", " + percent(least) + "; highest: " + with(most) +
                   ", " + percent(most) + ".");
}

}  // namespace

std::vector<std::string> make_findings(const scenario& in, const std::vector<folded_row>& rows, bool is_brief) {
    std::vector<std::string> made;
    if (in.load.rows.empty()) return {"There is nothing to replay."};
    add_needs(made, in, rows, {"memory", " needs ", "All need the same: "},
              [](const folded_row& row) { return row.minimum(); });
    if (in.how == limit::unlimited)
        add_needs(made, in, rows, {"footprint", " has a footprint of ", "All have the same footprint: "},
                  [](const folded_row& row) { return row.footprint(); });
    add_larger_failures(made, rows);
    add_impossibility(made, in);
    add_failures(made, rows, is_brief, is_brief && must_fail(in));
    if (must_fail(in) || is_brief) return made;
    add_fitting(made, in, rows);
    add_prices(made, rows);
    add_donations(made, rows);
    add_fragmentation(made, rows);
    return made;
}

std::vector<std::string> make_conclusion(const std::vector<comparison>& of, const selection& who) {
    std::vector<std::string> made;
    std::map<std::size_t, std::string> failing;  // managers by the number of workloads on which they fail
    std::string always;
    std::string impossible;
    std::size_t possible = 0;
    for (const comparison& each : of) {
        if (must_fail(*each.in))
            impossible += (impossible.empty() ? "" : ", ") + each.in->title;
        else
            ++possible;
    }
    if (!impossible.empty())
        made.push_back(impossible + (possible + 1 == of.size() ? " does" : " do") + " not fit under any manager.");
    for (std::size_t manager = 0; manager < who.managers.size(); ++manager) {
        if (is_second_name(who, manager)) continue;
        std::size_t failures = 0;
        for (const comparison& each : of)
            if (!each.of(manager).completed && !must_fail(*each.in)) ++failures;
        std::string& list = failures == 0 ? always : failing[failures];
        list += (list.empty() ? "" : ", ") + std::string(short_name(*who.managers[manager]));
    }
    if (possible == 0) return made;
    const bool is_sweep = are_points_of_a_sweep(of.size(), *of.front().in);
    const std::string whole = std::to_string(possible) + (impossible.empty() ? "" : " other") +
                              (is_sweep ? std::string(possible == 1 ? " point" : " points") + " of the sweep"
                               : impossible.empty() ? ""
                                                    : "s");
    const std::string single = is_sweep ? "the other point of the sweep" : "the other workload";
    if (failing.empty()) {
        made.push_back("Every manager completes " + (possible == 1 ? single : "all " + whole) + ".");
    } else if (!always.empty()) {
        made.push_back("These managers complete " + (possible == 1 ? single : "all " + whole) + ": " + always + ".");
    }
    if (failing.size() == 1 && !always.empty()) {
        made.push_back("Every other manager fails " + std::to_string(failing.begin()->first) + " of " +
                       (possible == 1 ? "1" : "these " + std::to_string(possible)) + ".");
        return made;
    }
    for (const auto& [count, list] : failing)
        made.push_back("These managers fail " + std::to_string(count) + " of " + whole + ": " + list + ".");
    return made;
}

}  // namespace hbm::compare
