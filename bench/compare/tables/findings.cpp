#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <map>
#include <string_view>

#include "compare/cells/grid.hpp"
#include "compare/managers/default_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/report.hpp"
#include "compare/tables/texts.hpp"
#include "compare/text/text.hpp"

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
    std::string list;
    std::size_t named = 0;
    for (; named < rows.size() && named < max_names; ++named) append_item(list, short_name(*rows[named]->who));
    const std::size_t left = managers_in(rows) - named;
    return left == 0 ? list : filled(texts::names_and_more, {{"names", list}, {"count", grouped(left)}});
}

std::string need_of(const scenario& load, const folded_row& row, std::uint64_t bytes) {
    // With programs each manager has a peak of its own, as some evict more than others.
    const bool has_least = load.has_programs && load.min_bytes != 0;
    const std::uint64_t common = has_least ? load.min_bytes : row.found->peak_live_bytes;
    if (common == 0) return size_in_words(bytes);
    return filled(has_least ? texts::need_and_least : texts::need_and_peak,
                  {{"size", size_in_words(bytes)},
                   {"times", rounded(trace::fraction::of(bytes, common), 2)},
                   {"least", size_in_words(common)}});
}

/// Adds the managers with the least and the most of a measure, if it is available.
template <class Bytes>
void add_needs(std::vector<std::string>& findings, const scenario& load, const std::vector<folded_row>& rows,
               const texts::measure_texts& sentences, Bytes bytes) {
    const row_list known = pick(rows, [&](const folded_row& row) { return bytes(row).has_value(); });
    if (known.empty()) return;
    const auto needing = [&](const folded_row* like) {
        return pick(rows, [&](const folded_row& row) { return bytes(row) == bytes(*like); });
    };
    const auto need = [&](const row_list& list) { return need_of(load, *list.front(), *bytes(*list.front())); };
    const auto [smallest, largest] = std::minmax_element(
        known.begin(), known.end(), [&](const folded_row* a, const folded_row* b) { return *bytes(*a) < *bytes(*b); });
    const row_list least = needing(*smallest);
    const row_list most = needing(*largest);
    findings.push_back(filled(
        known.size() == 1              ? sentences.single
        : least.size() == known.size() ? sentences.equal
                                       : sentences.range,
        {{"least", names(least)}, {"least_need", need(least)}, {"most", names(most)}, {"most_need", need(most)}}));
}

/// Adds a warning if the search observed a failure above a minimum capacity, which is only the least that works.
void add_larger_failures(std::vector<std::string>& findings, const std::vector<folded_row>& rows) {
    const row_list seen =
        pick(rows, [](const folded_row& row) { return row.minimum() && row.found->min_larger_fails_bytes; });
    if (seen.empty()) return;
    const folded_row& first = *seen.front();
    findings.push_back(filled(texts::larger_fails, {{"names", names(seen)},
                                                    {"first", std::string(short_name(*first.who))},
                                                    {"size", size_in_words(*first.minimum())},
                                                    {"larger", size_in_words(*first.found->min_larger_fails_bytes)}}));
}

/// Adds the reason why no manager can complete the workload.
void add_impossibility(std::vector<std::string>& findings, const scenario& load) {
    if (!must_fail(load)) return;
    const std::uint64_t capacity = load.device.capacity / load.device.quantum * load.device.quantum;
    findings.push_back(filled(texts::impossible, {{"needed", size_in_words(load.min_bytes)},
                                                  {"missing", size_in_words(load.min_bytes - capacity)}}));
}

/// Adds that the workload fits a device, if every manager completes it; failures are reported elsewhere.
void add_fitting(std::vector<std::string>& findings, const scenario& load, const std::vector<folded_row>& rows) {
    const bool is_known = load.at.what == workload_point::kind::programs;  // notes of programs report it
    if (is_known || load.how != limit::given || rows.empty() ||
        !pick(rows, [](const folded_row& row) { return !row.found->completed; }).empty())
        return;
    const std::uint64_t capacity = load.device.capacity / load.device.quantum * load.device.quantum;
    const std::size_t count = managers_in(pick(rows, [](const folded_row&) { return true; }));
    findings.push_back(filled(load.has_programs ? texts::fits_programs : texts::fits,
                              {{"who", std::string(count == 1 ? short_name(*rows.front().who) : texts::every_manager)},
                               {"capacity", size_in_words(capacity)},
                               {"needed", size_in_words(load.min_bytes)}}));
}

/// Adds the managers that fail, and those that fail although enough was free.
void add_failing(std::vector<std::string>& findings, const std::vector<folded_row>& rows, const row_list& failing,
                 std::size_t max_names) {
    const std::size_t all = managers_in(pick(rows, [](const folded_row&) { return true; }));
    const std::size_t count = managers_in(failing);
    findings.push_back(filled(count == all ? (count == 1 ? texts::it_fails : texts::all_fail)
                                           : (count == 1 ? texts::one_fails : texts::some_fail),
                              {{"count", count}, {"all", all}, {"names", names(failing, max_names)}}));
    const row_list scattered = pick(rows, [](const folded_row& row) { return row.found->oom_with_enough_free != 0; });
    if (!scattered.empty()) findings.push_back(filled(texts::scattered, {{"names", names(scattered)}}));
}

/// Adds the managers that fail, and each different message once.
void add_failures(std::vector<std::string>& findings, const std::vector<folded_row>& rows, bool is_brief,
                  bool only_messages) {
    const std::size_t max_messages = is_brief ? 1 : 3;
    const row_list failing = pick(rows, [](const folded_row& row) { return !row.found->completed; });
    if (failing.empty()) return;
    if (!only_messages) add_failing(findings, rows, failing, is_brief ? 2 : 4);
    std::vector<std::string_view> messages;
    for (const folded_row* row : failing) {
        const std::string_view message = *row->found->error;
        if (std::find(messages.begin(), messages.end(), message) != messages.end() || messages.size() == max_messages)
            continue;
        messages.push_back(message);
        findings.push_back(filled(texts::failure, {{"manager", std::string(short_name(*row->who))},
                                                   {"event", grouped(*row->found->failed_event)},
                                                   {"message", *row->found->error}}));
    }
}

/// Adds the managers with costs of some kind: the least and the highest time, with what it was spent on.
template <class Paid, class Time, class Spending>
void add_payers(std::vector<std::string>& findings, const std::vector<folded_row>& rows, std::string_view cost,
                Paid paid, Time time, Spending spending) {
    row_list payers = pick(rows, [&](const folded_row& row) { return paid(*row.found) != 0; });
    if (payers.empty()) return;
    std::stable_sort(payers.begin(), payers.end(),
                     [&](const folded_row* a, const folded_row* b) { return time(*a->found) < time(*b->found); });
    const auto like = [&](const folded_row* payer) {
        return pick(rows, [&](const folded_row& row) {
            return paid(*row.found) != 0 && time(*row.found) == time(*payer->found) &&
                   spending(*row.found) == spending(*payer->found);
        });
    };
    const auto price = [&](const row_list& group) {
        const trace::figures& figures = *group.front()->found;
        return filled(texts::price,
                      {{"time", duration(time(figures))}, {"names", names(group, 1)}, {"spending", spending(figures)}});
    };
    const row_list first = like(payers.front());
    const row_list last = like(payers.back());
    const bool is_range = first.front() != last.front();
    const std::size_t between = managers_in(payers) - managers_in(first) - (is_range ? managers_in(last) : 0);
    findings.push_back(filled(!is_range      ? texts::one_price
                              : between == 0 ? texts::two_prices
                                             : texts::range_of_prices,
                              {{"cost", std::string(cost)},
                               {"least", price(first)},
                               {"most", price(last)},
                               {"between", counted(between, "manager")}}));
}

void add_prices(std::vector<std::string>& findings, const std::vector<folded_row>& rows) {
    add_payers(
        findings, rows, texts::cost_of_moving, [](const trace::figures& figures) { return figures.moves; },
        [](const trace::figures& figures) { return figures.move_us; },
        [](const trace::figures& figures) {
            return filled(texts::moved,
                          {{"bytes", size_in_words(figures.moved_bytes)}, {"moves", counted(figures.moves, "move")}});
        });
    add_payers(
        findings, rows, texts::cost_of_evicting, [](const trace::figures& figures) { return figures.evictions; },
        [](const trace::figures& figures) { return figures.reload_us; },
        [](const trace::figures& figures) {
            return filled(texts::evicted, {{"evictions", counted(figures.evictions, "eviction")},
                                           {"bytes", size_in_words(figures.evicted_bytes)},
                                           {"reloads", counted(figures.reloads, "reload")}});
        });
}

bool is_same_without_donation(const manager_entry& with, const manager_entry& without) {
    return without.placement == with.placement && without.eviction == with.eviction && without.relief == with.relief &&
           !without.donates;
}

/// Adds the savings of donation: a manager compared with the same manager without donation.
void add_donations(std::vector<std::string>& findings, const std::vector<folded_row>& rows) {
    for (const folded_row& with : rows) {
        if (!with.who->donates || with.found->donations_taken == 0) continue;
        for (const folded_row& without : rows) {
            if (!is_same_without_donation(*with.who, *without.who)) continue;
            const std::string peak = size_in_words(with.found->peak_live_bytes);
            const std::string peak_without = size_in_words(without.found->peak_live_bytes);
            // Peaks in memories of different sizes cannot be compared.
            const bool is_same_memory = with.found->capacity_bytes == without.found->capacity_bytes &&
                                        with.found->min_capacity_bytes == without.found->min_capacity_bytes;
            const bool both_complete = with.found->completed && without.found->completed;
            findings.push_back(filled(both_complete && is_same_memory && peak != peak_without
                                          ? texts::donation_lowers_peak
                                      : with.found->completed && !without.found->completed ? texts::donation_completes
                                                                                           : texts::donation,
                                      {{"with", std::string(short_name(*with.who))},
                                       {"without", std::string(short_name(*without.who))},
                                       {"taken", grouped(with.found->donations_taken)},
                                       {"offered", grouped(with.found->donations_offered)},
                                       {"bytes", size_in_words(with.found->donated_bytes)},
                                       {"peak", peak},
                                       {"peak_without", peak_without}}));
            return;
        }
    }
}

/// Adds the fragmentation, if a manager completes and nothing else distinguishes the managers.
void add_fragmentation(std::vector<std::string>& findings, const std::vector<folded_row>& rows) {
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
        row_list list;
        for (const folded_row* row : known)
            if (*row->found->fragmentation_mean == part) list.push_back(row);
        return names(list, 1);
    };
    findings.push_back(filled(
        texts::fragmentation,
        {{"least", with(least)}, {"least_part", percent(least)}, {"most", with(most)}, {"most_part", percent(most)}}));
}

}  // namespace

std::vector<std::string> make_findings(const scenario& load, const std::vector<folded_row>& rows, bool is_brief) {
    std::vector<std::string> findings;
    if (load.load.rows.empty()) return {std::string(texts::nothing_to_replay)};
    add_needs(findings, load, rows, texts::memory, [](const folded_row& row) { return row.minimum(); });
    if (load.how == limit::unlimited)
        add_needs(findings, load, rows, texts::footprint, [](const folded_row& row) { return row.footprint(); });
    add_larger_failures(findings, rows);
    add_impossibility(findings, load);
    add_failures(findings, rows, is_brief, is_brief && must_fail(load));
    if (must_fail(load) || is_brief) return findings;
    add_fitting(findings, load, rows);
    add_prices(findings, rows);
    add_donations(findings, rows);
    add_fragmentation(findings, rows);
    return findings;
}

std::vector<std::string> make_conclusion(const std::vector<comparison>& all, const selection& chosen) {
    std::vector<std::string> findings;
    std::string impossible;
    std::size_t possible = 0;
    for (const comparison& entry : all)
        must_fail(*entry.in) ? append_item(impossible, entry.in->title) : void(++possible);
    if (!impossible.empty())
        findings.push_back(
            filled(possible + 1 == all.size() ? texts::does_not_fit : texts::do_not_fit, {{"workloads", impossible}}));
    if (possible == 0) return findings;
    std::map<std::size_t, std::string> failing;  // managers by the number of workloads on which they fail
    std::string always;
    for (std::size_t manager = 0; manager < chosen.managers.size(); ++manager) {
        if (is_second_name(chosen, manager)) continue;
        std::size_t failures = 0;
        for (const comparison& entry : all)
            if (!entry.of(manager).completed && !must_fail(*entry.in)) ++failures;
        append_item(failures == 0 ? always : failing[failures], short_name(*chosen.managers[manager]));
    }
    const texts::workloads_texts& subject = texts::workloads[!impossible.empty()];
    const auto fill = [&](std::string_view text, const std::string& names, std::size_t failures) {
        return filled(text, {{"all", filled(possible == 1 ? subject.the_one : subject.all, {{"count", possible}})},
                             {"count", filled(possible == 1 ? subject.one : subject.some, {{"count", possible}})},
                             {"possible", possible},
                             {"failures", failures},
                             {"names", names}});
    };
    if (failing.empty()) {
        findings.push_back(fill(texts::all_complete, {}, 0));
    } else if (!always.empty()) {
        findings.push_back(fill(texts::these_complete, always, 0));
    }
    if (failing.size() == 1 && !always.empty()) {
        findings.push_back(
            fill(possible == 1 ? texts::others_fail_one : texts::others_fail, {}, failing.begin()->first));
        return findings;
    }
    for (const auto& [count, names] : failing) findings.push_back(fill(texts::these_fail, names, count));
    return findings;
}

}  // namespace hbm::compare
