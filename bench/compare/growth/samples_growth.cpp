#include "compare/growth/samples_growth.hpp"

#include <hbm/growth/growth_series.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "compare/growth/forecast.hpp"

namespace hbm::imported {

namespace {

__extension__ typedef unsigned __int128 wide;

growth_series series_of(std::span<const even_sample> samples) {
    growth_series series{growth_window(samples.size())};
    for (const even_sample& entry : samples) series.add(entry.in_use, entry.most);
    return series;
}

/// Returns the median of the bytes in use in some places.
std::uint64_t median_of(std::span<const even_sample> samples) {
    std::vector<std::uint64_t> bytes;
    for (const even_sample& entry : samples) bytes.push_back(entry.in_use);
    return middle_of(std::span(bytes));
}

/// Rise of a stretch, and the rise of a line over it: from the median of its first third to that of the last.
struct stretch_rise {
    std::int64_t seen = 0;
    std::int64_t expected = 0;

    /// Returns true if it rises about as the line does: by half as much to twice as much.
    [[nodiscard]] bool is_alike() const noexcept {
        return expected > 0 && seen >= expected / 2 && seen / 2 <= expected;
    }
};

stretch_rise rise_of(std::span<const even_sample> stretch, const steady_growth& line) {
    const std::size_t third = std::max<std::size_t>(stretch.size() / 3, 1);
    const std::uint64_t places = stretch.size() - third;
    const std::uint64_t risen =
        static_cast<std::uint64_t>(std::min<wide>(wide{line.rise_bytes} * places / line.over_steps, max_grown_bytes));
    const auto level = [](std::span<const even_sample> part) {
        return static_cast<std::int64_t>(std::min(median_of(part), max_grown_bytes));
    };
    return {level(stretch.last(third)) - level(stretch.first(third)), static_cast<std::int64_t>(risen)};
}

/// Returns true if growth shows within stretches of samples, and not only across a gap, in which memory may have risen
/// at once. It applies if gaps take a quarter of the time or more, and stretches are too few to show a line by
/// themselves. All stretches together must rise about as the line does, and so must the last, unless it is short.
/// Cost: O(places).
bool is_seen(std::span<const even_sample> all, const steady_growth& growth) {
    const auto since = static_cast<std::size_t>(std::min<std::uint64_t>(growth.since, all.size()));
    const std::vector<sampled_stretch> stretches = stretches_of(all, since);
    std::size_t sampled = 0;
    for (const sampled_stretch& entry : stretches) sampled += entry.end - entry.begin;
    if (stretches.size() >= growth_parts || (all.size() - since - sampled) * 4 < all.size() - since) return true;
    stretch_rise sum;
    stretch_rise last;
    for (const sampled_stretch& entry : stretches) {
        last = rise_of(all.subspan(entry.begin, entry.end - entry.begin), growth);
        sum = {sum.seen + last.seen, sum.expected + last.expected};
    }
    const bool is_short = stretches.back().end - stretches.back().begin < growth_parts;
    return sum.is_alike() && (is_short || last.is_alike());
}

/// Returns the longest gap of a series.
growth_gap longest_gap(std::span<const even_sample> all) {
    const std::vector<sampled_stretch> stretches = stretches_of(all, 0);
    growth_gap longest;
    for (std::size_t at = 1; at < stretches.size(); ++at) {
        const std::size_t before = stretches[at - 1].end;  // place of the last sample, counted from 1
        const std::size_t after = stretches[at].begin + 1;
        if (after - before <= longest.end - longest.begin) continue;
        const std::uint64_t low = all[before - 1].in_use;
        longest = {before, after, all[after - 1].in_use - std::min(low, all[after - 1].in_use)};
    }
    return longest;
}

/// Returns samples without a jump: those before it are raised by its height, so that the end stays in place.
std::vector<even_sample> without(std::span<const even_sample> all, const growth_jump& jump) {
    std::vector<even_sample> raised(all.begin(), all.end());
    for (std::size_t at = 0; at + 1 < jump.step; ++at) {
        raised[at].in_use = std::min(raised[at].in_use, max_grown_bytes) + jump.risen_bytes;
        raised[at].most = std::min(raised[at].most, max_grown_bytes) + jump.risen_bytes;
    }
    return raised;
}

/// Returns true if samples without their jump rise about as `growth` does on both sides, if there are enough.
bool is_on_both_sides(std::span<const even_sample> raised, std::size_t jump, const steady_growth& growth) {
    const std::size_t since = static_cast<std::size_t>(std::min<std::uint64_t>(growth.since, jump));
    const std::span<const even_sample> before = raised.subspan(since, jump - since);
    return (before.size() < growth_parts || rise_of(before, growth).is_alike()) &&
           rise_of(raised.subspan(jump), growth).is_alike();
}

/// Examines samples without proven growth: looks for growth before and after a jump, and for an end above the
/// beginning.
void look_at_change(growth_summary& summary, std::span<const even_sample> all) {
    std::vector<std::uint64_t> sizes;
    for (const even_sample& entry : all) sizes.push_back(entry.in_use);
    summary.jump = growth_jump_of(sizes);
    if (summary.jump) {
        const std::vector<even_sample> raised = without(all, *summary.jump);
        summary.growth = growth_at_end(series_of(raised));
        const auto jump = static_cast<std::size_t>(summary.jump->step - 1);
        if (summary.growth && (summary.seen() < growth_parts || !is_seen(raised, *summary.growth) ||
                               !is_on_both_sides(raised, jump, *summary.growth)))
            summary.growth.reset();
        for (std::size_t at = 0; at < raised.size(); ++at) sizes[at] = raised[at].in_use;
    }
    summary.rise = growth_rise_of(sizes, summary.spike ? summary.spike->usual_bytes : max_grown_bytes);
    if (summary.growth) summary.rise.reset();
}

/// Judges samples at even distances. If growth is only across a gap, or there is none but many samples lie behind the
/// last gap, these are judged by themselves. A program may have started anew in the gap. If neither grows, and a gap
/// does not explain it, other changes are examined.
void judge(growth_summary& summary, std::span<const even_sample> all) {
    const growth_series series = series_of(all);
    summary.growth = growth_at_end(series);
    summary.spike = spike_of(series);
    if (summary.seen() < growth_parts) summary.growth.reset();  // most places are between samples
    if (summary.growth && is_seen(all, *summary.growth)) return;
    const std::vector<sampled_stretch> stretches = stretches_of(all, 0);
    if (stretches.size() < 2) return look_at_change(summary, all);
    constexpr std::size_t many = growth_series::kept + growth_series::persistence;
    const sampled_stretch last = stretches.back();
    if (summary.growth)
        summary.gap = longest_gap(all);
    else if (last.end - last.begin < many)
        return look_at_change(summary, all);
    summary.growth = growth_at_end(series_of(all.subspan(last.begin)));
    if (!summary.growth && !summary.gap) return look_at_change(summary, all);
    if (!summary.growth) return;
    for (std::uint64_t* const step : {&summary.growth->since, &summary.growth->noticed, &summary.growth->at})
        *step += last.begin;
}

/// Finds the peak, and the step that passed the capacity. Their places are those of their own samples; all other places
/// are those of the last samples of their parts.
void look_at_peaks(growth_summary& summary, const sample_series& series, std::span<const even_sample> all) {
    std::size_t part = 0;
    std::optional<memory_sample> passed;
    memory_sample peak;
    for (const memory_sample& entry : series.samples) {
        while (all[part].position < entry.position) ++part;
        if (summary.capacity && !passed && entry.in_use > *summary.capacity) {
            passed = entry;
            summary.passed_step = part + 1;
        }
        if (entry.most <= peak.most && summary.peak_step != 0) continue;
        peak = entry;
        summary.peak_step = part + 1;
    }
    summary.peak_bytes = peak.most;
    if (series.unit == growth_unit::steps || series.samples.empty()) return;
    for (const even_sample& entry : all) summary.positions.push_back(entry.position);
    summary.positions[static_cast<std::size_t>(summary.peak_step - 1)] = peak.position;
    if (passed) summary.positions[static_cast<std::size_t>(*summary.passed_step - 1)] = passed->position;
}

}  // namespace

growth_summary growth_of(const sample_series& series, std::string source, std::optional<std::uint64_t> capacity) {
    growth_summary summary{.source = std::move(source),
                           .step_name = series.unit == growth_unit::numbers ? "step" : "sample",
                           .unit = series.unit,
                           .capacity = capacity ? capacity : series.limit};
    summary.has_limit = !capacity && series.limit;
    if (!series.device.empty()) summary.source += (summary.source.empty() ? "device " : ", device ") + series.device;
    std::vector<even_sample> all;
    if (series.unit != growth_unit::steps && is_uneven(series.samples)) {
        all = evenly_spaced(series.samples);
        summary.samples = series.samples.size();
    } else {
        all.reserve(series.samples.size());
        for (const memory_sample& entry : series.samples) all.push_back({entry.position, entry.in_use, entry.most});
    }
    summary.steps = all.size();
    look_at_peaks(summary, series, all);
    summary.end_bytes = series.samples.empty() ? 0 : series.samples.back().in_use;
    judge(summary, all);
    return summary;
}

namespace {

__extension__ typedef unsigned __int128 wide;

/// More parts than these are made of no series: with less than a part in each no line is drawn more precisely.
constexpr std::uint64_t most_parts = std::uint64_t{1} << 18;

/// Returns the usual distance of samples: the median, or more if the parts would be too many for the samples.
std::uint64_t length_of_part(std::span<const memory_sample> samples) {
    std::vector<std::uint64_t> distances;
    distances.reserve(samples.size());
    for (std::size_t at = 1; at < samples.size(); ++at)
        distances.push_back(samples[at].position - samples[at - 1].position);
    const std::uint64_t usual = middle_of(std::span(distances));
    const std::uint64_t parts = std::min<std::uint64_t>(8 * samples.size(), most_parts);
    return std::max(usual, (samples.back().position - samples.front().position) / parts + 1);
}

/// Returns the bytes in use at `position`, on the line from one sample to the next.
std::uint64_t between(const even_sample& before, const memory_sample& after, std::uint64_t position) {
    const wide done = position - before.position;
    const std::uint64_t whole = after.position - before.position;
    if (after.in_use >= before.in_use)
        return before.in_use + static_cast<std::uint64_t>((after.in_use - before.in_use) * done / whole);
    return before.in_use - static_cast<std::uint64_t>((before.in_use - after.in_use) * done / whole);
}

}  // namespace

bool is_uneven(std::span<const memory_sample> samples) noexcept {
    if (samples.size() < 3) return false;
    const std::uint64_t length = samples.back().position - samples.front().position;
    const std::size_t last = samples.size() - 1;
    for (std::size_t at = 1; at < last; ++at) {
        const wide is = wide{samples[at].position - samples.front().position} * last;
        const wide even = wide{length} * at;
        if (std::max(is, even) - std::min(is, even) > wide{length} * last / 64) return true;
    }
    return false;
}

std::vector<even_sample> evenly_spaced(std::span<const memory_sample> samples) {
    const std::uint64_t length = length_of_part(samples);
    const std::uint64_t first = samples.front().position;
    std::vector<even_sample> result;
    for (const memory_sample& entry : samples) {
        const auto part = static_cast<std::size_t>((entry.position - first) / length);
        if (part + 1 == result.size()) {
            result.back() = {entry.position, entry.in_use, std::max(result.back().most, entry.most)};
            continue;
        }
        const even_sample before = result.empty() ? even_sample{} : result.back();
        while (result.size() < part) {
            const std::uint64_t begin = first + result.size() * length;
            const std::uint64_t bytes = between(before, entry, begin);
            result.push_back({begin, bytes, bytes, false});
        }
        result.push_back({entry.position, entry.in_use, entry.most});
    }
    return result;
}

std::vector<sampled_stretch> stretches_of(std::span<const even_sample> all, std::size_t from) {
    std::vector<sampled_stretch> stretches;
    for (std::size_t at = from; at < all.size(); ++at) {
        if (!all[at].has_sample) continue;
        if (stretches.empty() || at - stretches.back().end >= fewest_gap_parts) stretches.push_back({at, at});
        stretches.back().end = at + 1;
    }
    return stretches;
}

}  // namespace hbm::imported
