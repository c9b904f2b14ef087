#include "compare/growth/even_samples.hpp"

#include <algorithm>

#include "compare/growth/change.hpp"

namespace hbm::imported {

namespace {

__extension__ typedef unsigned __int128 wide;

/// More parts than these are made of no series: with less than a part in each no line is drawn more precisely.
constexpr std::uint64_t most_parts = std::uint64_t{1} << 18;

/// The usual distance of samples: the median; larger where the parts would be too many for so few samples.
std::uint64_t length_of_part(std::span<const memory_sample> samples) {
    std::vector<std::uint64_t> distances;
    distances.reserve(samples.size());
    for (std::size_t at = 1; at < samples.size(); ++at)
        distances.push_back(samples[at].position - samples[at - 1].position);
    const std::uint64_t usual = middle_of(std::span(distances));
    const std::uint64_t parts = std::min<std::uint64_t>(8 * samples.size(), most_parts);
    return std::max(usual, (samples.back().position - samples.front().position) / parts + 1);
}

/// What is in use at `position`, on the line from one sample to the next.
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
    const std::uint64_t last = samples.size() - 1;
    for (std::uint64_t at = 1; at < last; ++at) {
        const wide is = wide{samples[at].position - samples.front().position} * last;
        const wide even = wide{length} * at;
        if (std::max(is, even) - std::min(is, even) > wide{length} * last / 64) return true;
    }
    return false;
}

std::vector<even_sample> evenly_spaced(std::span<const memory_sample> samples) {
    const std::uint64_t length = length_of_part(samples);
    const std::uint64_t first = samples.front().position;
    std::vector<even_sample> made;
    for (const memory_sample& each : samples) {
        const auto part = static_cast<std::size_t>((each.position - first) / length);
        if (part + 1 == made.size()) {
            made.back() = {each.position, each.in_use, std::max(made.back().most, each.most)};
            continue;
        }
        const even_sample before = made.empty() ? even_sample{} : made.back();
        while (made.size() < part) {
            const std::uint64_t begin = first + made.size() * length;
            const std::uint64_t bytes = between(before, each, begin);
            made.push_back({begin, bytes, bytes, false});
        }
        made.push_back({each.position, each.in_use, each.most});
    }
    return made;
}

std::vector<sampled_stretch> stretches_of(std::span<const even_sample> all, std::size_t from) {
    std::vector<sampled_stretch> found;
    for (std::size_t at = from; at < all.size(); ++at) {
        if (!all[at].has_sample) continue;
        if (found.empty() || at - found.back().end >= fewest_gap_parts) found.push_back({at, at});
        found.back().end = at + 1;
    }
    return found;
}

}  // namespace hbm::imported
