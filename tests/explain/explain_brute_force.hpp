#pragma once

/// The least price of each set of remedies in a tiny memory, by looking at everything that they can lead to. It shares
/// no code with the planner: Dijkstra's algorithm over what the memory can look like.

#include <hbm/hbm.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hbm::test {

enum : unsigned { waiting = 1, evicting = 2, moving = 4, unpinning = 8, all_kinds = 15 };

/// What a call needs, in quanta.
struct wish {
    struct part {
        unsigned length = 0;
        unsigned alignment = 1;
    };
    std::vector<part> parts = {};   ///< to be placed as blocks
    std::uint32_t slot = no_index;  ///< of the program that it is for, which is not evicted
    unsigned scratch = 0;           ///< that comes in with the program, at the bottom
};

/// A memory as plain numbers, in quanta: at most 12 blocks in at most 15 quanta.
struct arena {
    static constexpr std::uint64_t impossible = ~std::uint64_t{0};
    static constexpr unsigned gone = 15;

    struct block {
        unsigned offset = 0;
        unsigned size = 0;
        unsigned alignment = 1;
        std::size_t program = none;  // in `programs`
        bool movable = false;
        bool pinned = false;  // movable without its pins
    };
    struct program {
        unsigned scratch = 0;
        std::uint64_t price = 0;
        bool evictable = false;
    };
    static constexpr std::size_t none = ~std::size_t{0};

    unsigned capacity = 0;
    unsigned reserved = 0;
    bool reserves = false;
    bool sums = false;
    std::vector<block> blocks = {};
    std::vector<program> programs = {};  // in memory
    wish asked = {};
    memory_spec spec = {};

    /// The least price, or `impossible`.
    [[nodiscard]] std::uint64_t cheapest(unsigned kinds) const {
        using entry = std::pair<std::uint64_t, std::uint64_t>;  // price and state: four bits a block
        std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
        std::unordered_map<std::uint64_t, std::uint64_t> known;
        const auto reach = [&](std::uint64_t price, std::uint64_t key) {
            const auto [place, is_new] = known.insert({key, price});
            if (!is_new && place->second <= price) return;
            place->second = price;
            queue.push({price, key});
        };
        std::uint64_t first = 0;
        for (std::size_t at = 0; at < blocks.size(); ++at) first |= std::uint64_t{blocks[at].offset} << 4 * at;
        reach(0, first);
        while (!queue.empty()) {
            const auto [price, key] = queue.top();
            queue.pop();
            if (known[key] < price) continue;
            const picture now = look_at(key);
            if (fits(now)) return price;
            for (std::size_t at = 0; at < blocks.size(); ++at) {
                const block& each = blocks[at];
                const unsigned from = now.offsets[at];
                if (from == gone) continue;
                const bool may_move = each.movable || ((kinds & unpinning) != 0 && each.pinned);
                if ((kinds & moving) != 0 && may_move) {
                    const std::uint32_t others = now.taken & ~range(from, each.size);
                    for (unsigned to = 0; to + each.size <= capacity; to += each.alignment) {
                        if (to == from || (others & range(to, each.size)) != 0) continue;
                        const unsigned distance = to < from ? from - to : to - from;
                        reach(price + spec.move_nanoseconds(each.size * spec.quantum, distance * spec.quantum),
                              (key & ~(std::uint64_t{15} << 4 * at)) | std::uint64_t{to} << 4 * at);
                    }
                }
                if ((kinds & evicting) == 0 || each.program == none || !programs[each.program].evictable) continue;
                std::uint64_t later = key;
                for (std::size_t other = 0; other < blocks.size(); ++other)
                    if (blocks[other].program == each.program) later |= std::uint64_t{gone} << 4 * other;
                reach(price + programs[each.program].price, later);
            }
        }
        return impossible;
    }

    /// How much is missing when all have left that may, wherever blocks are.
    [[nodiscard]] unsigned missing() const {
        std::uint64_t key = 0;
        unsigned used = 0;
        for (std::size_t at = 0; at < blocks.size(); ++at) {
            const std::size_t owner = blocks[at].program;
            const bool leaves = owner != none && programs[owner].evictable;
            key |= std::uint64_t{leaves ? gone : blocks[at].offset} << 4 * at;
            if (!leaves) used += blocks[at].size;
        }
        for (const wish::part& part : asked.parts) used += part.length;
        used += look_at(key).level;
        return used > capacity ? used - capacity : 0;
    }

private:
    struct picture {
        std::vector<unsigned> offsets = {};
        std::uint32_t taken = 0;  // a bit a quantum
        unsigned bottom = 0;
        unsigned level = 0;
    };

    [[nodiscard]] static std::uint32_t range(unsigned offset, unsigned size) { return ((1u << size) - 1) << offset; }

    [[nodiscard]] picture look_at(std::uint64_t key) const {
        picture now;
        std::vector<bool> inside(programs.size(), true);
        for (std::size_t at = 0; at < blocks.size(); ++at) {
            now.offsets.push_back(static_cast<unsigned>(key >> 4 * at & 15));
            if (now.offsets.back() == gone)
                inside[blocks[at].program] = false;
            else
                now.taken |= range(now.offsets.back(), blocks[at].size);
        }
        now.level = asked.scratch;
        unsigned others = 0;
        for (std::size_t at = 0; at < programs.size(); ++at) {
            if (!inside[at]) continue;
            others = sums ? others + programs[at].scratch : std::max(others, programs[at].scratch);
        }
        now.level = sums ? now.level + others : std::max(now.level, others);
        if (!reserves) now.level = 0;
        now.bottom = std::min(reserved, now.level);
        now.taken |= range(0, now.bottom);
        return now;
    }
    [[nodiscard]] bool fits(const picture& now) const {
        if (now.level > capacity) return false;
        if (now.level > now.bottom && (now.taken & range(now.bottom, now.level - now.bottom)) != 0) return false;
        return place(0, now.taken | range(0, now.level));
    }
    [[nodiscard]] bool place(std::size_t next, std::uint32_t taken) const {
        if (next == asked.parts.size()) return true;
        const wish::part& part = asked.parts[next];
        for (unsigned to = 0; to + part.length <= capacity; to += part.alignment)
            if ((taken & range(to, part.length)) == 0 && place(next + 1, taken | range(to, part.length))) return true;
        return false;
    }
};

template <class Placement>
inline constexpr bool is_buddy = requires(Placement p) {
    { Placement::merges_neighbours } -> std::convertible_to<bool>;
    requires !Placement::merges_neighbours;
};

/// Instead of a number of runs: nothing is waited for, not even frees that can take effect now.
inline constexpr std::size_t no_wait = ~std::size_t{0};

/// The memory once the oldest `runs` runs are over and frees took effect. Empty where there are too many blocks.
template <class Manager>
[[nodiscard]] std::optional<arena> arena_of(const Manager& memory, std::size_t runs, wish asked) {
    using placement = typename Manager::placement_type;
    constexpr bool buddy = is_buddy<placement>;
    auto fork = memory.fork();
    if (runs != no_wait) (void)fork.retire(runs == 0 ? fork.reached() : memory.flights()[runs - 1].over);
    const std::uint64_t quantum = fork.spec().quantum;
    const auto in_quanta = [&](std::uint64_t bytes) { return static_cast<unsigned>(bytes / quantum); };
    arena made{.capacity = in_quanta(fork.capacity_bytes()), .reserved = in_quanta(fork.reserved_bytes())};
    if (made.capacity > 15 || fork.state().blocks.map().live_blocks() > 9) return std::nullopt;
    made.spec = fork.spec();
    if constexpr (reserves<placement>) {
        made.reserves = true;
        made.sums = placement::sharing == scratch_sharing::per_program;
    }
    std::vector<std::size_t> program_at(fork.programs().size(), arena::none);
    for (std::uint32_t slot = 0; slot < fork.programs().size(); ++slot) {
        const program_record& record = fork.programs()[slot];
        if (!record.resident) continue;
        program_at[slot] = made.programs.size();
        made.programs.push_back({.scratch = in_quanta(record.scratch), .price = record.reload_nanoseconds});
    }
    const auto& map = fork.state().blocks.map();
    for (block_index at = map.first(); at != no_block; at = map.next(at)) {
        const block_kind kind = map.kind(at);
        if (kind == block_kind::hole || kind == block_kind::reservation) continue;
        arena::block& block = made.blocks.emplace_back();
        block.offset = map.offset(at);
        block.size = map.size(at);
        block.alignment = map.alignment(at);
        if (buddy) block.alignment = std::max(block.alignment, std::bit_ceil(block.size));
        const bool free_to_move = kind != block_kind::deferred && map.holds(at) == 0;
        block.movable = free_to_move && map.pins(at) == 0;
        block.pinned = free_to_move && map.pins(at) != 0;
        if (kind != block_kind::code && kind != block_kind::scratch) continue;
        block.program = program_at[map.owner(at)];
        if (kind == block_kind::code)
            made.programs[block.program].evictable = map.holds(at) == 0 && map.owner(at) != asked.slot;
    }
    if (buddy)
        for (wish::part& part : asked.parts) {
            part.length = std::bit_ceil(part.length);
            part.alignment = std::max(part.alignment, part.length);
        }
    made.asked = asked;
    return made;
}

/// The least price of each set of kinds by its bits, `arena::impossible` where none is enough; empty where there are
/// too many blocks.
template <class Manager>
[[nodiscard]] std::optional<std::vector<std::uint64_t>> least_prices(const Manager& memory, const wish& asked) {
    std::vector<std::uint64_t> least(all_kinds + 1, arena::impossible);
    std::uint64_t waited = 0;
    for (std::size_t step = 0; step <= memory.flights().size() + 1; ++step) {
        if (step > 1) waited += memory.flights()[step - 2].nanoseconds;
        const std::optional<arena> start = arena_of(memory, step == 0 ? no_wait : step - 1, asked);
        if (!start) return std::nullopt;
        std::uint64_t price[all_kinds + 1];
        for (unsigned kinds = 0; kinds <= all_kinds; ++kinds)
            price[kinds] = (kinds & waiting) != 0 ? 0 : start->cheapest(kinds);
        for (unsigned kinds = 0; kinds <= all_kinds; ++kinds) {
            if (step != 0 && (kinds & waiting) == 0) continue;
            const std::uint64_t after = price[kinds & ~+waiting];
            if (after != arena::impossible) least[kinds] = std::min(least[kinds], waited + after);
        }
    }
    return least;
}

}  // namespace hbm::test
