#include "compare/answers/batches/fit.hpp"

#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <utility>

namespace hbm::compare {

namespace {

/// Returns the line through two sizes at two batches, `low` being the smaller batch.
batch_line line_through(std::uint64_t low, std::uint64_t low_bytes, std::uint64_t high, std::uint64_t high_bytes) {
    if (high_bytes <= low_bytes) return {0, std::min(low_bytes, high_bytes)};
    const std::uint64_t distance = high - low;
    const std::uint64_t slope =
        (high_bytes - low_bytes) / distance + ((high_bytes - low_bytes) % distance != 0 ? 1 : 0);
    const bool has_rest = slope <= low_bytes / std::max<std::uint64_t>(low, 1);
    return {slope, has_rest ? low_bytes - slope * low : 0};
}

/// Returns the samples whose line decides: those around the capacity, or the two nearest to it.
std::pair<std::size_t, std::size_t> nearest(const std::vector<batch_sample>& samples, std::uint64_t capacity) {
    std::size_t above = 1;
    while (above + 1 < samples.size() && *samples[above].need <= capacity) ++above;
    return {above - 1, above};
}

}  // namespace

batch_fit fit_batch(std::vector<batch_sample> samples, std::uint64_t capacity) {
    std::sort(samples.begin(), samples.end(),
              [](const batch_sample& left, const batch_sample& right) { return left.batch < right.batch; });
    batch_fit result;
    result.of_temporaries = !std::all_of(samples.begin(), samples.end(),
                                         [](const batch_sample& sample) { return sample.need.has_value(); });
    if (result.of_temporaries)
        for (batch_sample& sample : samples) sample.need = sample.of(part::temporaries);
    result.capacity = capacity;
    for (std::size_t at = 1; at < samples.size(); ++at)
        if (*samples[at].need < *samples[at - 1].need) result.falls.push_back(at);
    const batch_sample& first = samples.front();
    const batch_sample& last = samples.back();
    for (std::size_t at = 0; at < part_names.size(); ++at)
        if (first.parts[at] && last.parts[at])
            result.parts[at] = line_through(first.batch, *first.parts[at], last.batch, *last.parts[at]);
    for (const batch_sample& sample : samples)
        if (*sample.need <= capacity) result.batch = sample.batch;
    const auto [low, high] = nearest(samples, capacity);
    result.need = line_through(samples[low].batch, *samples[low].need, samples[high].batch, *samples[high].need);
    result.is_measured = true;
    if (result.falls.empty() && result.need.slope != 0) {
        // From the sample below the capacity on, or, if there is none, down from the lowest.
        const batch_sample& from = samples[*samples[high].need <= capacity ? high : low];
        const std::uint64_t more = capacity > *from.need ? (capacity - *from.need) / result.need.slope : 0;
        const std::uint64_t over = *from.need > capacity ? *from.need - capacity : 0;
        const std::uint64_t less = over / result.need.slope + (over % result.need.slope != 0 ? 1 : 0);
        result.batch = saturating_add(from.batch, more) - std::min(less, from.batch);
        result.is_measured = more == 0 && less == 0;
    }
    result.samples = std::move(samples);
    return result;
}

}  // namespace hbm::compare
