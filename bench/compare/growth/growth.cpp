#include "compare/growth/growth.hpp"

#include <hbm/growth/growth.hpp>

#include <algorithm>
#include <utility>

#include "compare/growth/liveness.hpp"
#include "compare/replay/steps.hpp"

namespace hbm {

namespace {

__extension__ typedef unsigned __int128 wide;

std::uint64_t clamped(wide number) noexcept {
    return number > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(number);
}

std::uint32_t window_for(std::uint64_t steps) noexcept {
    std::uint32_t window = 1;
    while (window < growth_series::usual_window && steps / (2 * window) >= certain_growth_steps) window *= 2;
    return window;
}

}  // namespace

growth_series series_for(std::uint64_t steps) {
    return growth_series{window_for(steps), growth_series::fewest};
}

std::optional<steady_growth> growth_summary::headline() const {
    if (growth || culprit() == nullptr) return growth;
    std::optional<steady_growth> fastest = culprit()->growth;
    fastest->top_bytes = peak_bytes;  // memory ends when all of it is used, not when the tag has all of it
    fastest->at = steps;
    return fastest;
}

std::uint64_t growth_summary::position(std::uint64_t step) const noexcept {
    if (unit == growth_unit::steps || steps < 2) return step;
    if (step == 0) return first;
    return clamped(first + wide{step - 1} * (last - first) / (steps - 1));
}

std::uint64_t growth_summary::micro_rate(std::uint64_t micro_bytes_a_step) const noexcept {
    if (unit == growth_unit::steps || steps < 2 || last == first) return micro_bytes_a_step;
    const std::uint64_t scale = unit == growth_unit::times ? 3'600'000'000 : 1;
    // In two divisions, so that no product exceeds 2^128.
    const wide rise = wide{micro_bytes_a_step} * (steps - 1);
    const std::uint64_t length = last - first;
    return clamped(rise / length * scale + rise % length * scale / length);
}

}  // namespace hbm

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
    return steps < certain_growth_steps || growth.rise_bytes / growth.over_steps > begun / steps / 8;
}

/// Returns the tags that had any bytes: the fastest first, then by bytes at the end, by the peak, by name.
std::vector<tag_growth> tags_of(const workload& trace, const growth_tally& tally,
                                const std::vector<tag_moment>& at_peak, const std::vector<tag_moment>& at_end) {
    const auto add = [](tag_moment& to, const tag_moment& from) {
        to.bytes += from.bytes;
        to.count += from.count;
        to.oldest_steps = std::max(to.oldest_steps, from.oldest_steps);  // nothing is less than any number
    };
    std::vector<tag_growth> tags;
    for (std::size_t which = 0; which <= std::min(trace.tags.size(), tally.most_tags()); ++which) {
        tag_growth its{.name = which == 0 ? "" : trace.tags[which - 1], .is_programs = which == 0};
        its.is_several = which == tally.most_tags() && trace.tags.size() > which;
        for (std::size_t entry = which; entry < at_end.size(); ++entry) {
            add(its.at_peak, at_peak[entry]);
            add(its.at_end, at_end[entry]);
            if (!its.is_several) break;
        }
        its.growth = tally[which].series.growing();
        its.most = std::max(tally[which].series.highest_bytes(), tally[which].most);
        if (its.most != 0) tags.push_back(std::move(its));
    }
    std::sort(tags.begin(), tags.end(), [](const tag_growth& a, const tag_growth& b) {
        if (a.micro_rate() != b.micro_rate()) return a.micro_rate() > b.micro_rate();
        if (a.at_end.bytes != b.at_end.bytes) return a.at_end.bytes > b.at_end.bytes;
        if (a.most != b.most) return a.most > b.most;
        return a.is_programs != b.is_programs ? a.is_programs : a.name < b.name;
    });
    return tags;
}

}  // namespace

growth_summary growth_of(const workload& trace, std::uint64_t quantum, std::optional<std::uint64_t> capacity,
                         std::size_t rows) {
    rows = std::min(rows, trace.rows.size());
    const trace_steps steps = steps_of(trace);
    const auto last = std::upper_bound(steps.ends.begin(), steps.ends.end(), rows);
    const auto count = static_cast<std::uint64_t>(last - steps.ends.begin());

    growth_tally tally({.window = window_for(count), .first = growth_series::fewest});
    liveness live(trace, quantum);
    growth_summary summary{.source = trace.name,
                           .step_name = steps.how == step_end::run ? "run" : "step",
                           .rows_a_step = steps.rows,
                           .steps = count,
                           .samples = count,
                           .capacity = capacity};
    summary.has_tags = true;
    const auto begins = [](const row& entry) { return entry.what == op::alloc || entry.what == op::load; };
    summary.marks_no_steps = steps.how == step_end::rows || !steps.is_even;
    summary.finds_steps = steps.how == step_end::period;
    summary.is_instant = rows == trace.rows.size() && rows != 0 && (summary.marks_no_steps || trace.times.empty()) &&
                         std::all_of(trace.rows.begin(), trace.rows.end(), begins);
    std::uint64_t begun = 0;  // bytes of all blocks that began in steps
    std::uint64_t lowest = ~std::uint64_t{0};
    std::uint64_t highest = 0;
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
        if (tally.total().bytes > summary.peak_bytes) {
            summary.peak_bytes = tally.total().bytes;
            summary.peak_at = tally.steps() + 1;
            peak_row = at + 1;
        }
        if (capacity && !summary.passed_at && tally.total().bytes > *capacity) summary.passed_at = tally.steps() + 1;
        if (tally.steps() >= count || steps.ends[static_cast<std::size_t>(tally.steps())] != at + 1) continue;
        if (tally.steps() != 0) lowest = std::min(lowest, tally.total().least);
        highest = std::max(highest, tally.total().least);
        tally.step();
    }
    summary.end_bytes = tally.total().bytes;
    summary.growth = tally.total().series.growing();
    summary.stopped = tally.total().series.stopped();
    summary.visible = tally.total().series.visible_micro_bytes_a_step();
    summary.varies = lowest < highest;
    summary.tags =
        tags_of(trace, tally, moment_at(trace, quantum, steps, peak_row), moment_at(trace, quantum, steps, rows));
    const std::optional<steady_growth> headline = summary.headline();
    if (headline && summary.finds_steps && is_build_up(*headline, begun, count)) summary.marks_no_steps = true;
    return summary;
}

}  // namespace hbm::trace
