#pragma once

/// What no eviction can cost less than, be the future known or not.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "micro/eviction_stream.hpp"

namespace hbm::micro {

/// A lower bound of what loading costs over a stream, in nanoseconds. Contiguity is ignored, and a program may leave in
/// part, for its part of the cost: a linear program, whose dual is climbed. Between two uses a program is either loaded
/// again or occupies memory, which has a price a byte at each request; whatever the prices are, the cheaper of the two
/// for each pair of uses, less the price of the memory that there is, is a bound. Prices rise where more is occupied
/// than there is and fall where less is (a subgradient, with momentum; Polyak's step, given what is known to be
/// `reachable`).
/// It ends within 1 % of the best such bound on the streams here. O(rounds x requests).
inline double offline_bound(const eviction_stream& stream, std::uint64_t capacity, std::uint64_t reachable) {
    struct gap {  // between two uses, both left out
        std::size_t begin;
        std::size_t end;
        double size;
        double cost;
    };
    constexpr int rounds = 1000;
    constexpr int patience = 20;
    const std::size_t length = stream.requests.size();
    const auto in_mebibytes = [](std::uint64_t bytes) {
        return static_cast<double>(bytes) / static_cast<double>(mebibyte);
    };

    double unavoidable = 0;  // first loads
    std::vector<gap> gaps;
    std::vector<double> room(length);  // for programs other than the one that is used
    std::vector<std::size_t> behind_last(stream.programs.size(), 0);
    for (std::size_t at = 0; at < length; ++at) {
        const std::uint32_t which = stream.requests[at];
        const eviction_stream::piece& used = stream.programs[which];
        const auto cost = static_cast<double>(used.nanoseconds);
        room[at] = in_mebibytes(capacity - used.bytes);
        if (behind_last[which] == 0)
            unavoidable += cost;
        else if (behind_last[which] < at)
            gaps.push_back({behind_last[which], at, in_mebibytes(used.bytes), cost});
        behind_last[which] = at + 1;
    }

    const auto target = static_cast<double>(reachable);
    std::vector<double> prices(length, 0);  // a mebibyte, at each request
    std::vector<double> best_prices = prices;
    std::vector<double> direction(length, 0);
    std::vector<double> before(length + 1, 0);   // sum of the prices
    std::vector<double> changes(length + 1, 0);  // of what is occupied
    double best = 0;
    double boldness = 1;
    int idle = 0;
    for (int round = 0; round < rounds; ++round) {
        double bound = unavoidable;
        for (std::size_t at = 0; at < length; ++at) {
            before[at + 1] = before[at] + prices[at];
            bound -= prices[at] * room[at];
        }
        std::fill(changes.begin(), changes.end(), 0);
        for (const gap& each : gaps) {
            const double rent = each.size * (before[each.end] - before[each.begin]);
            bound += std::min(rent, each.cost);
            if (rent >= each.cost) continue;
            changes[each.begin] += each.size;
            changes[each.end] -= each.size;
        }
        ++idle;
        if (bound > best) {
            if (bound > best * 1.0001) idle = 0;
            best = bound;
            best_prices = prices;
        }
        if (idle > patience) {
            boldness *= 0.7;
            idle = 0;
            prices = best_prices;
            std::fill(direction.begin(), direction.end(), 0);
        }
        double occupied = 0;
        double norm = 0;
        for (std::size_t at = 0; at < length; ++at) {
            occupied += changes[at];
            const double excess = occupied - room[at];
            direction[at] = 0.7 * direction[at] + (prices[at] > 0 || excess > 0 ? 0.3 * excess : 0);
            norm += direction[at] * direction[at];
        }
        if (norm == 0) break;
        const double stride = boldness * (target - bound) / norm;
        for (std::size_t at = 0; at < length; ++at) prices[at] = std::max(0.0, prices[at] + stride * direction[at]);
    }
    return std::max(best, unavoidable);
}

}  // namespace hbm::micro
