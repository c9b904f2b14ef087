#include "compare/growth/growth.hpp"

#include <hbm/growth/growth_series.hpp>
#include <hbm/growth/growth_tally.hpp>

#include <algorithm>
#include <utility>

#include "compare/growth/forecast.hpp"
#include "compare/growth/liveness.hpp"
#include "compare/replay/steps.hpp"

namespace hbm::trace {

namespace {

/// Returns the live blocks of each number after the first `rows` rows. Cost: O(rows).
std::vector<tag_moment> moment_at(const workload& trace, std::uint64_t quantum, const trace_steps& steps,
                                  std::size_t rows) {
    liveness live(trace, quantum);
    const auto nothing = [](std::size_t, std::uint64_t, std::uint64_t) {};
    std::size_t step = 0;
    for (std::size_t at = 0; at < rows; ++at) {
        live.apply(at, step, nothing, nothing, nothing);
        if (step < steps.ends.size() && steps.ends[step] == at + 1) ++step;
    }
    std::vector<tag_moment> found(trace.tags.size() + 1);
    for (const liveness::block& entry : live.blocks()) {
        if (entry.bytes == 0) continue;
        tag_moment& its = found[entry.which];
        its.bytes += entry.bytes;
        ++its.count;
        its.oldest_steps = std::max<std::uint64_t>(its.oldest_steps.value_or(0), step - entry.born);
    }
    found.front().bytes += live.scratch_bytes();
    return found;
}

/// Returns true if growth in repeated rows is a pass over the layers of a model rather than a leak. Layers keep their
/// results for the backward pass. Signs are no more steps than a deep model has layers, or more than an eighth of all
/// new bytes kept. A program with such losses in each step would not run for long.
bool is_build_up(const steady_growth& growth, std::uint64_t begun, std::uint64_t steps) noexcept {
    if (steps < growth_series::kept + growth_series::persistence) return true;
    return growth.rise_bytes / growth.over_steps > begun / steps / 8;
}

/// Examines the floors and tops of steps without proven growth. Looks for growth before and after a jump, with the
/// steps before raised by as much, and for an end above the beginning. The first step begins with nothing, which is not
/// a rise.
/// Cost: O(steps).
void look_at_change(growth_summary& summary, const std::vector<std::uint64_t>& floors,
                    const std::vector<std::uint64_t>& tops) {
    if (floors.size() < 2) return;
    std::vector<std::uint64_t> raised(floors.begin() + 1, floors.end());
    summary.jump = growth_jump_of(raised);
    if (summary.jump) {
        const std::uint64_t more = summary.jump->risen_bytes;
        growth_series series{growth_window(floors.size())};
        const auto step = static_cast<std::size_t>(summary.jump->step);  // first step with the higher floor
        for (std::size_t at = 0; at < floors.size(); ++at) {
            if (at != 0 && at < step) raised[at - 1] = saturating_add(floors[at], more);
            series.add(at < step ? saturating_add(floors[at], more) : floors[at],
                       at + 1 < step ? saturating_add(tops[at], more) : tops[at]);
        }
        summary.growth = growth_at_end(series);
    }
    if (!summary.growth)
        summary.rise = growth_rise_of(raised, summary.spike ? summary.spike->usual_bytes : max_grown_bytes);
}

}  // namespace

growth_summary growth_of(const workload& trace, std::uint64_t quantum, std::optional<std::uint64_t> capacity,
                         std::size_t rows) {
    rows = std::min(rows, trace.rows.size());
    const trace_steps steps = steps_of(trace);
    const auto last = std::upper_bound(steps.ends.begin(), steps.ends.end(), rows);
    const auto count = static_cast<std::uint64_t>(last - steps.ends.begin());

    growth_tally tally({.window = growth_window(count)});
    liveness live(trace, quantum);
    growth_summary summary{.source = trace.name,
                           .step_name = steps.how == step_end::run ? "run" : "step",
                           .rows_a_step = steps.rows,
                           .steps = count,
                           .capacity = capacity};
    summary.has_tags = true;
    const auto begins = [](const row& entry) { return entry.what == op::alloc || entry.what == op::load; };
    summary.marks_no_steps = steps.how == step_end::rows || !steps.is_even;
    summary.finds_steps = steps.how == step_end::period;
    summary.is_instant = rows == trace.rows.size() && rows != 0 && (summary.marks_no_steps || trace.times.empty()) &&
                         std::all_of(trace.rows.begin(), trace.rows.end(), begins);
    std::vector<std::uint64_t> floors;  // floors of all together, by step
    std::vector<std::uint64_t> tops;
    growth_series evicting{growth_window(count)};
    std::uint64_t least_buffers = 0;  // least number of buffers in this step
    std::uint64_t most_needed = 0;
    std::uint64_t begun = 0;  // bytes of all blocks that began in steps
    std::size_t peak_row = 0;
    for (std::size_t at = 0; at < rows; ++at) {
        live.apply(
            at, tally.steps(),
            [&](std::size_t which, std::uint64_t bytes, std::uint64_t blocks) {
                tally.begin(which, bytes, blocks);
                begun = saturating_add(begun, bytes);
            },
            [&](std::size_t which, std::uint64_t bytes, std::uint64_t blocks) { tally.end(which, bytes, blocks); },
            [&](std::size_t from, std::size_t to, std::uint64_t bytes) {
                tally.pass(from, to, bytes);
                begun = saturating_add(begun, bytes);
            });
        const std::uint64_t buffers = tally.total().bytes - tally[0].bytes;
        const bool runs = trace.rows[at].what == op::run;
        least_buffers = std::min(least_buffers, buffers);
        most_needed =
            std::max(most_needed, saturating_add(buffers, runs ? live.bytes_to_run(trace.rows[at].subject) : 0));
        if (tally.total().bytes > summary.peak_bytes) {
            summary.peak_bytes = tally.total().bytes;
            summary.peak_step = tally.steps() + 1;
            peak_row = at + 1;
        }
        if (capacity && !summary.passed_step && tally.total().bytes > *capacity)
            summary.passed_step = tally.steps() + 1;
        if (tally.steps() >= count || steps.ends[static_cast<std::size_t>(tally.steps())] != at + 1) continue;
        floors.push_back(tally.total().least);
        tops.push_back(tally.total().most);
        tally.step();
        evicting.add(least_buffers, most_needed);
        least_buffers = most_needed = buffers;
    }
    summary.end_bytes = tally.total().bytes;
    summary.growth = growth_at_end(tally.total().series);
    summary.spike = spike_of(tally.total().series);
    if (!summary.growth) look_at_change(summary, floors, tops);
    if (summary.growth && tally[0].most + tally[0].series.highest_bytes() != 0)
        summary.evicting = growth_at_end(evicting);

    const std::vector<tag_moment> at_peak = moment_at(trace, quantum, steps, peak_row);
    const std::vector<tag_moment> at_end = moment_at(trace, quantum, steps, rows);
    for (std::size_t which = 0; which <= std::min(trace.tags.size(), tally.most_tags()); ++which) {
        tag_growth its{.name = which == 0 ? "" : trace.tags[which - 1], .is_programs = which == 0};
        its.is_several = which == tally.most_tags() && trace.tags.size() > which;
        const auto add = [](tag_moment& to, const tag_moment& from) {
            to.bytes += from.bytes;
            to.count += from.count;
            to.oldest_steps = std::max(to.oldest_steps, from.oldest_steps);  // nothing is less than any number
        };
        for (std::size_t entry = which; entry < at_end.size(); ++entry) {
            add(its.at_peak, at_peak[entry]);
            add(its.at_end, at_end[entry]);
            if (!its.is_several) break;
        }
        its.growth = growth_at_end(tally[which].series);
        its.most = std::max(tally[which].series.highest_bytes(), tally[which].most);
        if (its.most != 0) summary.tags.push_back(std::move(its));
    }
    // The tags' rises over the same steps: since the growth in question began.
    if (const std::optional<growth_forecast> headline = summary.headline()) {
        if (summary.finds_steps && is_build_up(*headline, begun, count)) summary.marks_no_steps = true;
        // The first step begins with nothing, and does not represent the others.
        const std::uint64_t since = std::max<std::uint64_t>(headline->since, 1);
        const auto first = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(since, floors.size()));
        const auto [least, most] = std::minmax_element(floors.begin() + first, floors.end());
        if (least != floors.end()) summary.varied_bytes = *most - *least;
        std::size_t at = 0;
        for (std::size_t which = 0; which <= std::min(trace.tags.size(), tally.most_tags()); ++which)
            if (std::max(tally[which].series.highest_bytes(), tally[which].most) != 0)
                summary.tags[at++].risen_bytes = risen_since(tally[which].series, headline->since);
    }
    rank(summary);
    return summary;
}

}  // namespace hbm::trace

namespace hbm {

namespace {

__extension__ typedef unsigned __int128 wide;

std::uint64_t clamped(wide number) noexcept {
    return number > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(number);
}

std::uint64_t rate(const tag_growth& tag) noexcept {
    return tag.growth ? tag.growth->micro_bytes_a_step() : 0;
}

}  // namespace

const tag_growth* growth_summary::culprit() const noexcept {
    const tag_growth* tag = nullptr;
    for (const tag_growth& entry : tags) {
        if (!entry.growth && entry.risen_bytes == 0) continue;
        if (tag == nullptr || rate(entry) > rate(*tag) ||
            (rate(entry) == rate(*tag) && entry.risen_bytes > tag->risen_bytes))
            tag = &entry;
    }
    return tag;
}

std::optional<growth_forecast> growth_summary::headline() const {
    if (growth) return growth;
    std::optional<growth_forecast> fastest;
    for (const tag_growth& tag : tags)
        if (tag.growth && (!fastest || rate(tag) > fastest->micro_bytes_a_step())) fastest = tag.growth;
    // Memory ends when all of it is used, not when the tag has all of it.
    if (fastest) fastest->top_bytes = fastest->least_top_bytes = fastest->most_top_bytes = peak_bytes;
    if (fastest) fastest->at = steps;
    return fastest;
}

std::uint64_t growth_summary::position(std::uint64_t step) const noexcept {
    if (unit == growth_unit::steps || positions.empty()) return step;
    if (step == 0) return positions.front();
    if (step <= positions.size()) return positions[static_cast<std::size_t>(step - 1)];
    if (positions.size() < 2) return positions.back();
    const std::uint64_t more = step - positions.size();
    return clamped(positions.back() + wide{more} * (positions.back() - positions.front()) / (positions.size() - 1));
}

std::uint64_t growth_summary::micro_rate(const steady_growth& line) const noexcept {
    if (unit == growth_unit::steps || positions.size() < 2) return line.micro_bytes_a_step();
    const std::uint64_t length = positions.back() - positions.front();
    if (length == 0) return 0;
    const std::uint64_t scale = unit == growth_unit::times ? 3'600'000'000 : 1;
    // In two divisions, so that no product exceeds 2^128.
    const wide a_step = wide{line.micro_bytes_a_step()} * (positions.size() - 1);
    return clamped(a_step / length * scale + a_step % length * scale / length);
}

void rank(growth_summary& summary) {
    std::sort(summary.tags.begin(), summary.tags.end(), [](const tag_growth& a, const tag_growth& b) {
        if (rate(a) != rate(b)) return rate(a) > rate(b);
        if (a.at_end.bytes != b.at_end.bytes) return a.at_end.bytes > b.at_end.bytes;
        if (a.most != b.most) return a.most > b.most;
        return a.is_programs != b.is_programs ? a.is_programs : a.name < b.name;
    });
}

}  // namespace hbm
