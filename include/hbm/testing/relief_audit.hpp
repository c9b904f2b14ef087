#pragma once

/// Whether relief disturbed anybody in vain.

#include <hbm/events/events.hpp>

#include <cstdint>
#include <vector>

namespace hbm {

/// Counts what relief did, and what of it was in vain: a program that was evicted, or a block that was moved, although
/// in the end nothing lies where it was, so that it could have stayed (what could have stayed had the request gone
/// elsewhere it does not see). Under the shipped policies `allocate`, `load` of
/// a new program and `run` disturb nobody in vain (of some 100,000 calls in random stories one or two that placed
/// several things seemed to: a block made room for another, which moved on later); it is for those who write their own.
/// What is evicted or moved by hand, by `compact`, or to load a program again by hand is counted with the next of those
/// calls, when it may look as if it had been in vain.
class relief_audit {
public:
    static constexpr fixed_string name{"relief_audit"};

    [[nodiscard]] constexpr std::uint64_t evictions() const noexcept { return evictions_; }
    [[nodiscard]] constexpr std::uint64_t moves() const noexcept { return moves_; }
    [[nodiscard]] constexpr std::uint64_t evictions_in_vain() const noexcept { return evictions_in_vain_; }
    [[nodiscard]] constexpr std::uint64_t moves_in_vain() const noexcept { return moves_in_vain_; }

    /// O(1) where nothing was relieved, else O(steps x blocks) when the call ends.
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
        case event_kind::ran:
            judge(memory);
            [[fallthrough]];
        case event_kind::failed:
            left_.clear();
            break;
        default:
            break;
        }
    }

    friend bool operator==(const relief_audit&, const relief_audit&) = default;

private:
    /// Who left, or moved, and where that was.
    struct leaver {
        extent from;
        extent to;  // of a move
        std::uint64_t scratch = 0;
        bool evicted = false;

        friend constexpr bool operator==(const leaver&, const leaver&) = default;
    };

    template <class Memory>
    constexpr void judge(const Memory& memory) {
        for (const leaver& each : left_) {
            if (!could_be_there(memory, each)) continue;
            if (each.evicted)
                ++evictions_in_vain_;
            else
                ++moves_in_vain_;
        }
    }

    /// True when nothing is where it was, but for itself.
    template <class Memory>
    [[nodiscard]] static constexpr bool could_be_there(const Memory& memory, const leaver& each) {
        std::uint64_t level = memory.reserved_bytes();  // with its scratch
        if (each.scratch != 0) {
            if (!memory.reserves_scratch()) return false;  // that was a block like others, it is not known where
            level = !memory.shares_scratch() ? level + each.scratch : level < each.scratch ? each.scratch : level;
        }
        if (level > memory.reserved_bytes() + memory.reservable_bytes() || each.from.offset < level) return false;
        for (const auto& block : memory.blocks())
            if (block.where.overlaps(each.from) && (each.evicted || block.where != each.to)) return false;
        return true;
    }

    std::vector<leaver> left_;  // since the last call ended
    std::uint64_t evictions_ = 0;
    std::uint64_t moves_ = 0;
    std::uint64_t evictions_in_vain_ = 0;
    std::uint64_t moves_in_vain_ = 0;
};

static_assert(observer<relief_audit>);

}  // namespace hbm
