#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "compare/growth/growth.hpp"

namespace hbm::imported {

namespace {

/// Returns the samples at even distances, the median of theirs: each place has the last sample up to there. So a rise
/// between two samples that are far apart is a single step, which is no growth, and a line through many stays a line.
std::vector<memory_sample> evenly_spaced(std::span<const memory_sample> samples) {
    if (samples.size() < 3) return {samples.begin(), samples.end()};
    constexpr std::uint64_t most_places = std::uint64_t{1} << 18;
    std::vector<std::uint64_t> distances;
    for (std::size_t at = 1; at < samples.size(); ++at)
        distances.push_back(samples[at].position - samples[at - 1].position);
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    const std::uint64_t first = samples.front().position;
    const std::uint64_t whole = samples.back().position - first;
    const std::uint64_t places = std::min<std::uint64_t>(8 * samples.size(), most_places);
    const std::uint64_t distance = std::max(*middle, whole / places + 1);
    std::vector<memory_sample> even;
    std::size_t next = 0;
    for (std::uint64_t place = 0; place <= whole / distance; ++place) {
        // Up to the middle to the next place, so that samples a little too late count where they belong.
        const std::uint64_t end = first + place * distance + distance / 2;
        memory_sample here{first + place * distance, even.empty() ? 0 : even.back().in_use, 0};
        here.most = here.in_use;
        for (; next < samples.size() && samples[next].position <= end; ++next) {
            here.in_use = samples[next].in_use;
            here.most = std::max(here.most, samples[next].most);
        }
        even.push_back(here);
    }
    return even;
}

}  // namespace

growth_summary growth_of(const sample_series& series, std::string source, std::optional<std::uint64_t> capacity) {
    growth_summary summary{.source = std::move(source),
                           .step_name = series.unit == growth_unit::numbers ? "step" : "sample",
                           .unit = series.unit,
                           .samples = series.samples.size(),
                           .capacity = capacity ? capacity : series.limit};
    summary.has_limit = !capacity && series.limit;
    if (!series.device.empty()) summary.source += (summary.source.empty() ? "device " : ", device ") + series.device;
    if (series.samples.empty()) return summary;
    const bool is_placed = series.unit != growth_unit::steps;
    const std::vector<memory_sample> even = is_placed ? evenly_spaced(series.samples) : series.samples;
    summary.steps = even.size();
    summary.first = even.front().position;
    summary.last = even.back().position;
    summary.end_bytes = series.samples.back().in_use;
    std::uint64_t place = 0;
    for (const memory_sample& each : series.samples) {
        const std::uint64_t position = is_placed ? each.position : ++place;
        if (summary.capacity && !summary.passed_at && each.in_use > *summary.capacity) summary.passed_at = position;
        summary.varies = summary.varies || each.in_use != summary.end_bytes;
        if (each.most <= summary.peak_bytes) continue;
        summary.peak_bytes = each.most;
        summary.peak_at = position;
    }
    if (summary.samples < growth_series::fewest) return summary;
    growth_series growing = series_for(even.size());
    for (const memory_sample& each : even) growing.add(each.in_use, each.most);
    summary.growth = growing.growing();
    summary.stopped = growing.stopped();
    summary.visible = growing.visible_micro_bytes_a_step();
    return summary;
}

}  // namespace hbm::imported
