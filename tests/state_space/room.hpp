#pragma once

/// Brute force over all that moves and evictions can lead to. It shares no code with the library.

#include <unordered_set>
#include <vector>

#include "state_space/picture.hpp"

namespace hbm::test {

/// A call's need of memory: blocks at once, and the scratch of the program that it is for.
struct demand {
    struct wish {
        std::uint32_t length = 1, alignment = 1;
    };
    std::vector<wish> wishes = {};
    std::uint32_t scratch = 0;
    std::uint32_t slot = no_index;          ///< that program, which is not evicted
    std::vector<std::uint32_t> walls = {};  ///< indexes of blocks that the call uses
};

/// True for a block that the call uses, which therefore stays as it is.
inline bool is_used(const demand& wanted, const piece& block) {
    return std::find(wanted.walls.begin(), wanted.walls.end(), block.index) != wanted.walls.end();
}

/// The memory once frees took effect that nothing stands against, and after all runs if `all_over`. A block that the
/// call uses keeps the tail that its run would give back: managers return it no sooner than the call's own run ends.
inline picture after_waiting(const picture& before, const demand& wanted, bool all_over) {
    picture later = before;
    if (all_over) later.reached = later.issued;
    later.count = 0;
    for (piece block : before) {
        if (later.moving.block == block.index) {  // relief finishes the pending move first
            block.offset = static_cast<std::uint32_t>(later.moving.to);
            block.size = static_cast<std::uint32_t>(later.moving.bytes);
        }
        if (all_over) {
            if (block.holds != 0 && block.kind == block_kind::data && !is_used(wanted, block))
                block.size = block.granted;
            block.holds = 0;
        }
        if (block.kind != block_kind::deferred || block.until > later.reached || block.holds != 0)
            later.blocks[later.count++] = block;
    }
    later.moving = {};
    return later;
}

/// Looks for room in a picture in which nothing is pending.
class room_search {
public:
    room_search(const picture& start, const demand& wanted, bool moves, bool evicts)
        : start_(start), wanted_(wanted), moves_(moves), evicts_(evicts) {}

    /// True when there is room after moves and evictions, in any order.
    bool succeeds() { return visit(start_); }

    /// True when there is room as it is.
    [[nodiscard]] bool fits(const picture& now) const {
        const std::uint32_t level = level_of(now);
        if (level > now.capacity) return false;
        const std::uint32_t bottom = (1u << level) - 1;
        std::uint32_t taken = 0;
        for (const piece& block : now)
            if (block.kind != block_kind::reservation) taken |= block.mask();
        return (taken & bottom) == 0 && all_fit(0, taken | bottom, now.capacity);
    }

private:
    [[nodiscard]] std::uint32_t level_of(const picture& now) const {
        std::uint32_t level = wanted_.scratch;
        for (const slot_picture& slot : now.slots)
            if (slot.resident) level = std::max(level, slot.scratch);
        return level;
    }
    [[nodiscard]] bool all_fit(std::size_t first, std::uint32_t taken, std::uint32_t capacity) const {
        if (first == wanted_.wishes.size()) return true;
        const auto [length, alignment] = wanted_.wishes[first];
        for (std::uint32_t at = 0; at + length <= capacity; at += alignment) {
            const std::uint32_t mask = ((1u << length) - 1) << at;
            if ((taken & mask) == 0 && all_fit(first + 1, taken | mask, capacity)) return true;
        }
        return false;
    }
    bool visit(const picture& now) {
        std::uint64_t key = now.slots[0].resident + 2u * now.slots[1].resident;
        for (const piece& block : now) key = key * 16 + block.offset;
        if (!visited_.insert(key).second) return false;
        if (fits(now)) return true;
        const std::uint32_t taken = now.taken();
        for (std::uint32_t at = 0; at < now.count; ++at) {
            const piece& block = now.blocks[at];
            if (block.kind == block_kind::reservation || block.kind == block_kind::deferred || block.pins != 0 ||
                block.holds != 0 || is_used(wanted_, block))
                continue;
            picture later = now;
            for (std::uint32_t to = 0; moves_ && to + block.size <= now.capacity; to += block.alignment) {
                later.blocks[at].offset = to;
                if (to != block.offset && (later.blocks[at].mask() & taken & ~block.mask()) == 0 && visit(later))
                    return true;
            }
            if (!evicts_ || block.kind != block_kind::code || block.owner == wanted_.slot) continue;
            if (visit(without(now, at))) return true;
        }
        return false;
    }
    /// The picture after the program whose code is block `at` was evicted.
    [[nodiscard]] picture without(const picture& now, std::uint32_t at) const {
        picture later = now;
        later.slots[now.blocks[at].owner].resident = false;
        std::copy(now.blocks + at + 1, now.end(), later.blocks + at);
        --later.count;
        std::uint32_t level = 0;
        for (const slot_picture& slot : later.slots)
            if (slot.resident) level = std::max(level, slot.scratch);
        if (later.count == 0 || later.blocks[0].kind != block_kind::reservation) return later;
        later.blocks[0].size = level;  // nothing at all is as good as no reservation
        return later;
    }

    const picture& start_;
    const demand& wanted_;
    bool moves_, evicts_;
    std::unordered_set<std::uint64_t> visited_;
};

/// True when nothing has to give way for a call.
inline bool fits_now(const picture& now, const demand& wanted) {
    return room_search(now, wanted, false, false).fits(now);
}
/// True when waiting, moves and evictions can make room for a call.
inline bool room_can_be_made(const picture& now, const demand& wanted, bool moves, bool evicts) {
    for (const bool all_over : {false, true})
        if (const picture later = after_waiting(now, wanted, all_over);
            room_search(later, wanted, moves, evicts).succeeds())
            return true;
    return false;
}

}  // namespace hbm::test
