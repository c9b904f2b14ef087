#pragma once

/// Verifies a peer with a map that shares no code with the library.

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "micro/peer.hpp"
#include "micro/workloads.hpp"

namespace hbm::micro {

/// Result of a verified replay.
struct verdict {
    std::string broken;  ///< first broken rule and its operation; empty if none was broken
    std::uint64_t failures = 0;
};

/// Replays a workload, without timing. Reads all offsets again if a peer moves blocks to make room.
/// Fails: if a block overlaps another or leaves the arena.
template <peer P>
verdict verify(const workload& load) {
    using block = std::pair<std::uint64_t, std::uint64_t>;  // offset and quanta
    P memory(load.capacity(), load.peak_blocks);
    std::vector<typename P::handle> handles(load.slots);
    std::vector<block> blocks(load.slots);
    std::map<std::uint64_t, std::uint64_t> ends;  // ends by offset
    const auto enter = [&](const block& added) {
        const auto above = ends.lower_bound(added.first);
        const std::uint64_t end = added.first + added.second;
        if (end > memory.reach() || (above != ends.end() && above->first < end)) return false;
        if (above != ends.begin() && std::prev(above)->second > added.first) return false;
        ends.emplace_hint(above, added.first, end);
        return true;
    };
    const auto moves = [&]() -> std::uint64_t {
        if constexpr (requires { memory.moves(); }) return memory.moves();
        return 0;
    };
    verdict checked;
    std::uint64_t moved = 0;
    for (std::size_t at = 0; at < load.operations.size(); ++at) {
        const auto [slot, quanta] = load.operations[at];
        if (quanta == 0) {
            if (!P::holds(handles[slot])) continue;
            memory.free(handles[slot]);
            ends.erase(blocks[slot].first);
            handles[slot] = {};
            continue;
        }
        handles[slot] = memory.allocate(quanta);
        if (!P::holds(handles[slot])) {
            ++checked.failures;
            continue;
        }
        blocks[slot].second = quanta;
        bool is_apart = true;
        if (const std::uint64_t now = moves(); now != moved) {
            moved = now;
            ends.clear();
            for (std::size_t other = 0; other < handles.size(); ++other) {
                if (!P::holds(handles[other])) continue;
                blocks[other].first = memory.offset(handles[other]);
                is_apart &= enter(blocks[other]);
            }
        } else {
            blocks[slot].first = memory.offset(handles[slot]);
            is_apart = enter(blocks[slot]);
        }
        if (is_apart) continue;
        checked.broken = "operation " + std::to_string(at) + ": a block overlaps another, or ends beyond the arena";
        return checked;
    }
    return checked;
}

}  // namespace hbm::micro
