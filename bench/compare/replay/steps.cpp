#include "compare/replay/steps.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace hbm::trace {

namespace {

/// Numbers that are equal for rows that do the same: the operation, the size of the buffer, the tag.
std::vector<std::uint64_t> signatures(const workload& trace) {
    std::vector<std::uint64_t> sizes(trace.ids.size(), 0);
    std::vector<std::uint64_t> made;
    made.reserve(trace.rows.size());
    for (const row& next : trace.rows) {
        if (next.what == op::alloc || next.what == op::import) sizes[next.subject] = next.bytes;
        const std::uint64_t bytes = next.what == op::sync ? 0 : sizes[next.subject];
        std::uint64_t mixed = (bytes * 8 + static_cast<std::uint64_t>(next.what)) * 0x9e3779b97f4a7c15 + next.tag;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
        made.push_back(mixed ^ (mixed >> 27U));
    }
    return made;
}

/// Returns the rows among 1,000 that equal the row `period` rows later; samples at most 65,536 rows, evenly spread.
std::uint64_t repeated(const std::vector<std::uint64_t>& all, std::size_t period) {
    const std::size_t stride = all.size() / 65'536 + 1;
    std::uint64_t seen = 0;
    std::uint64_t equal = 0;
    for (std::size_t at = 0; at + period < all.size(); at += stride, ++seen) equal += all[at] == all[at + period];
    return seen == 0 ? 0 : equal * 1000 / seen;
}

}  // namespace

bool is_even(const std::vector<std::uint64_t>& all, std::size_t period) {
    const std::size_t length = all.size() - std::min(all.size(), period);
    for (std::size_t part = 1; part < 8; ++part) {
        const std::size_t from = length / 8 * part;
        const std::size_t to = part == 7 ? length : length / 8 * (part + 1);
        std::size_t equal = 0;
        for (std::size_t at = from; at < to; ++at) equal += all[at] == all[at + period];
        if (equal * 2 < to - from) return false;
    }
    return true;
}

namespace {

/// Returns the number of rows after which rows repeat best, at most `longest`. Candidates are the most frequent
/// distances of equal runs of 24 rows. Returns 0 if fewer than half of all rows repeat.
/// Cost: O(rows).
std::size_t period_of(const workload& trace, std::size_t longest) {
    constexpr std::size_t together = 24;
    constexpr std::size_t candidates = 32;
    const std::vector<std::uint64_t> all = signatures(trace);
    if (all.size() < 2 * together) return 0;
    std::unordered_map<std::uint64_t, std::size_t> last;
    std::unordered_map<std::size_t, std::size_t> distances;
    std::uint64_t leaving = 1;  // factor of the row that leaves the 24
    constexpr std::uint64_t factor = 0x100000001b3;
    for (std::size_t at = 0; at < together; ++at) leaving *= factor;
    std::uint64_t rolling = 0;
    for (std::size_t at = 0; at < all.size(); ++at) {
        rolling = rolling * factor + all[at];
        if (at >= together) rolling -= all[at - together] * leaving;
        if (at + 1 < together) continue;
        const auto [found, is_new] = last.try_emplace(rolling, at);
        if (!is_new && at - found->second <= longest) ++distances[at - found->second];
        found->second = at;
    }
    std::vector<std::pair<std::size_t, std::size_t>> often;  // count, distance
    for (const auto& [distance, count] : distances) often.emplace_back(count, distance);
    std::sort(often.begin(), often.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    often.resize(std::min(often.size(), candidates));
    std::uint64_t best = 0;
    for (const auto& each : often) best = std::max(best, repeated(all, each.second));
    if (best < 500) return 0;
    std::size_t shortest = longest;
    for (const auto& each : often)
        if (repeated(all, each.second) + 10 >= best) shortest = std::min(shortest, each.second);
    return shortest;
}

}  // namespace

trace_steps marked_steps_of(const workload& trace) {
    trace_steps steps;
    const auto end_after = [&](op what) {
        for (std::size_t at = 0; at < trace.rows.size(); ++at)
            if (trace.rows[at].what == what) steps.ends.push_back(at + 1);
        return !steps.ends.empty();
    };
    if (end_after(op::run)) {
        steps.how = step_end::run;
        return steps;
    }
    if (end_after(op::sync)) steps.how = step_end::sync;
    return steps;
}

trace_steps steps_of(const workload& trace) {
    trace_steps found = marked_steps_of(trace);
    if (!found.ends.empty()) return found;
    // Eight steps are the fewest that can show growth.
    const std::size_t period = period_of(trace, trace.rows.size() / 8);
    found.how = period != 0 ? step_end::period : step_end::rows;
    const std::size_t rows = period != 0 ? period : std::max<std::size_t>(trace.rows.size() / 1024, 16);
    found.rows = rows;
    if (period != 0) found.is_even = is_even(signatures(trace), period);
    for (std::size_t at = rows; at <= trace.rows.size(); at += rows) found.ends.push_back(at);
    return found;
}

}  // namespace hbm::trace
