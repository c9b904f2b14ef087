#pragma once

#include <hbm/events/events.hpp>

#include <cstdint>
#include <vector>

namespace hbm::test {

/// An observer that counts relief, and unnecessary relief: an eviction or move after which nothing uses the old place.
/// It does not see what other places for the request would have avoided. Under the shipped policies, `allocate`, `load`
/// of a new program and `run` cause none, with few exceptions for calls of several parts.
/// Moves and evictions by hand, by `compact`, or for a reload by hand are counted with the next of those calls.
class relief_audit {
public:
    static constexpr fixed_string name{"relief_audit"};

    [[nodiscard]] constexpr std::uint64_t evictions() const noexcept { return evictions_; }
    [[nodiscard]] constexpr std::uint64_t moves() const noexcept { return moves_; }
    [[nodiscard]] constexpr std::uint64_t evictions_in_vain() const noexcept { return evictions_in_vain_; }
    [[nodiscard]] constexpr std::uint64_t moves_in_vain() const noexcept { return moves_in_vain_; }

    /// Cost: O(1) without relief, else O(steps x blocks) when the call ends.
    template <class Memory>
    constexpr void on(const event& e, const Memory& memory) {
        switch (e.what) {
        case event_kind::evicted:
            ++evictions_;
            left_.push_back({e.where, {}, e.from, true});
            break;
        case event_kind::moved:
            ++moves_;
            left_.push_back({{e.from, e.where.size}, e.where, 0, false});
            break;
        case event_kind::allocated:
        case event_kind::loaded:
        case event_kind::ran: judge(memory); [[fallthrough]];
        case event_kind::failed: left_.clear(); break;
        default: break;
        }
    }

    friend bool operator==(const relief_audit&, const relief_audit&) = default;

private:
    /// A program evicted or a block moved, and its old place.
    struct leaver {
        extent from;
        extent to;  // of a move
        std::uint64_t scratch = 0;
        bool evicted = false;

        friend constexpr bool operator==(const leaver&, const leaver&) = default;
    };

    template <class Memory>
    constexpr void judge(const Memory& memory) {
        for (const leaver& entry : left_) {
            if (!could_be_there(memory, entry)) continue;
            if (entry.evicted)
                ++evictions_in_vain_;
            else
                ++moves_in_vain_;
        }
    }

    /// Returns true if nothing else is where the block was.
    template <class Memory>
    [[nodiscard]] static constexpr bool could_be_there(const Memory& memory, const leaver& entry) {
        std::uint64_t level = memory.reserved_bytes();  // including its scratch
        if (entry.scratch != 0) {
            if (!memory.reserves_scratch())
                return false;  // scratch was a block of its own, whose place is not recorded
            level = !memory.shares_scratch() ? level + entry.scratch : level < entry.scratch ? entry.scratch : level;
        }
        if (level > memory.reserved_bytes() + memory.reservable_bytes() || entry.from.offset < level) return false;
        for (const auto& block : memory.blocks())
            if (block.where.overlaps(entry.from) && (entry.evicted || block.where != entry.to)) return false;
        return true;
    }

    std::vector<leaver> left_;  // since the last call ended
    std::uint64_t evictions_ = 0;
    std::uint64_t moves_ = 0;
    std::uint64_t evictions_in_vain_ = 0;
    std::uint64_t moves_in_vain_ = 0;
};

static_assert(observer<relief_audit>);

}  // namespace hbm::test
