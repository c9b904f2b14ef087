#pragma once

/// Verifies a peer against a simple reference that shares no code with the library.

#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "micro/peer.hpp"
#include "micro/workloads.hpp"

namespace hbm::micro {

/// The holes of an arena: by offset, and for best fits also by size and offset.
class hole_book {
public:
    hole_book(std::uint64_t capacity, bool by_size) : by_size_(by_size) { add(0, capacity); }

    /// Size and offset of the lowest of the smallest holes that fit; both 0 if no hole fits.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> smallest(std::uint64_t size) const {
        const auto found = sizes_.lower_bound({size, 0});
        return found == sizes_.end() ? std::pair<std::uint64_t, std::uint64_t>{} : *found;
    }
    /// Like `smallest`, for the highest of the smallest holes; the hole that begins at 0 only if no other hole fits.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> smallest_from_the_top(std::uint64_t size) const {
        auto found = sizes_.lower_bound({size, 0});
        if (found != sizes_.end() && found->second == 0 && std::next(found) != sizes_.end()) ++found;
        if (found == sizes_.end()) return {};
        return *std::prev(sizes_.upper_bound({found->first, ~std::uint64_t{0}}));
    }
    /// Occupies a range. Returns offset and size of the hole that contained it; size 0 if not all of it is free.
    std::pair<std::uint64_t, std::uint64_t> take(std::uint64_t offset, std::uint64_t size) {
        const auto above = offsets_.upper_bound(offset);
        if (above == offsets_.begin()) return {};
        const auto [begin, length] = *std::prev(above);
        if (offset + size > begin + length) return {};
        remove(begin, length);
        if (offset != begin) add(begin, offset - begin);
        if (offset + size != begin + length) add(offset + size, begin + length - offset - size);
        return {begin, length};
    }
    /// Frees an occupied range.
    void give(std::uint64_t offset, std::uint64_t size) {
        const auto above = offsets_.upper_bound(offset);
        std::uint64_t begin = offset;
        std::uint64_t end = offset + size;
        if (above != offsets_.begin()) {
            const auto [below, length] = *std::prev(above);
            if (below + length == offset) {
                begin = below;
                remove(below, length);
            }
        }
        if (const auto next = offsets_.find(end); next != offsets_.end()) {
            end += next->second;
            remove(next->first, end - next->first);
        }
        add(begin, end - begin);
    }

private:
    void add(std::uint64_t offset, std::uint64_t size) {
        offsets_.emplace(offset, size);
        if (by_size_) sizes_.emplace(size, offset);
    }
    void remove(std::uint64_t offset, std::uint64_t size) {
        offsets_.erase(offset);
        if (by_size_) sizes_.erase({size, offset});
    }

    std::map<std::uint64_t, std::uint64_t> offsets_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> sizes_;
    bool by_size_;
};

/// The result of a verified replay.
struct verdict {
    std::string broken;  ///< which rule was broken first, and where; empty if none was broken
    std::uint64_t failures = 0;
};

/// Returns the number of blocks that a peer has moved so far; 0 for peers that do not move blocks.
template <peer P>
std::uint64_t moves_of(const P& memory) {
    if constexpr (requires { memory.moves(); })
        return memory.moves();
    else
        return 0;
}

/// Replays a workload, without timing, and checks every placement.
template <peer P>
verdict verify(const workload& load) {
    struct placed {
        typename P::handle held = {};
        std::uint64_t offset = 0;
        std::uint64_t size = 0;
    };
    verdict found;
    P memory(load.capacity(), load.peak_blocks);
    constexpr bool is_best_fit = P::keeps != promise::apart;
    hole_book holes(memory.reach(), is_best_fit);
    std::vector<placed> slots(load.slots);
    std::uint64_t moves = 0;
    for (std::size_t at = 0; at < load.operations.size(); ++at) {
        const std::uint32_t quanta = load.operations[at].quanta;
        placed& here = slots[load.operations[at].slot];
        const auto broken = [&](const std::string& rule) {
            found.broken = "operation " + std::to_string(at) + ", " + std::to_string(quanta) + " quanta: " + rule;
            return found;
        };
        if (quanta == 0) {
            if (!P::holds(here.held)) continue;
            memory.free(here.held);
            holes.give(here.offset, here.size);
            here = {};
            continue;
        }
        here.held = memory.allocate(quanta);
        constexpr bool from_the_top = P::keeps == promise::from_the_top;
        const auto [best_size, best_offset] =
            from_the_top ? holes.smallest_from_the_top(quanta) : holes.smallest(quanta);
        if (!P::holds(here.held)) {
            if (is_best_fit && best_size != 0) return broken("it failed although a hole fits");
            ++found.failures;
            continue;
        }
        here.size = quanta;
        if (const std::uint64_t now = moves_of(memory); now != moves) {  // blocks were moved: read all offsets again
            moves = now;
            holes = hole_book(memory.reach(), is_best_fit);
            for (placed& each : slots) {
                if (!P::holds(each.held)) continue;
                each.offset = memory.offset(each.held);
                if (holes.take(each.offset, each.size).second == 0) return broken("a block was moved onto another");
            }
            continue;
        }
        here.offset = memory.offset(here.held);
        const auto [hole, size] = holes.take(here.offset, here.size);
        if (size == 0) return broken("it was placed where not all was free, or beyond the end");
        if (is_best_fit && size != best_size) return broken("a smaller hole would have done");
        if (P::keeps == promise::apart || P::keeps == promise::smallest) continue;
        const bool at_low_end = here.offset == hole;
        const bool at_high_end = here.offset + quanta == hole + size;
        const bool at_right_end = P::keeps == promise::smallest_at_an_end ? at_low_end || at_high_end
                                  : from_the_top                          ? at_high_end
                                                                          : at_low_end;
        if (hole != best_offset || !at_right_end) return broken("it is not where a plain best fit places it");
    }
    return found;
}

}  // namespace hbm::micro
