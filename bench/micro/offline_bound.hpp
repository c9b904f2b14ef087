#pragma once

/// A lower bound of the cost of any eviction, with or without knowledge of the future.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "micro/eviction_stream.hpp"

namespace hbm::micro {

/// A lower bound of the cost of loading over a stream, in nanoseconds, from a linear relaxation: programs need not be
/// contiguous, and a part of a program may be evicted for the same part of the cost. Its dual has a price per byte of
/// memory at each request. Between two uses a program is either loaded again or pays for the memory it occupies. For
/// any prices, the sum of the cheaper choices, less the price of the whole memory, is a lower bound. The prices are
/// improved by a subgradient method with momentum and Polyak's step size, for which `reachable` is a known cost: they
/// rise where more than the memory is occupied, and fall where less is. The result is within 1 % of the best such bound
/// on the streams here. O(rounds x requests).
inline double offline_bound(const eviction_stream& stream, std::uint64_t capacity, std::uint64_t reachable) {
    struct gap {  // the requests between two uses, excluding both
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

    double unavoidable = 0;  // the cost of first loads
    std::vector<gap> gaps;
    std::vector<double> room(length);  // for programs other than the program that is used
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
    std::vector<double> prices(length, 0);  // per MiB, at each request
    std::vector<double> best_prices = prices;
    std::vector<double> direction(length, 0);
    std::vector<double> before(length + 1, 0);   // prefix sums of the prices
    std::vector<double> changes(length + 1, 0);  // changes of the occupied bytes
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
