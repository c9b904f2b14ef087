#pragma once

/// An independent checker of plans and refusals. It shares no code with what makes them: it keeps a list of blocks of
/// its own, on which it carries a plan out.

#include <hbm/state/memory_state.hpp>
#include <hbm/state/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::testing {

/// Checks plans for one need against one memory. Every check returns null, or the broken rule as a sentence.
template <placement P>
class plan_checker {
public:
    using quanta = typename P::quanta;

    /// `wanted` as the planner was asked; `protected_slot` is the program that memory is wanted for; nobody may leave
    /// unless `evicting`. All are copied.
    constexpr plan_checker(const memory_state<P>& state, const need<quanta>& wanted, std::uint32_t protected_slot,
                           bool evicting)
        : state_(state), wanted_(wanted), protected_slot_(protected_slot), evicting_(evicting) {}

    /// Each step is possible when its turn comes, and costs what it says; what is wanted fits afterwards, and would not
    /// without any one of the steps; and the plan is not cheaper than it says that any could be. O(steps^2 x blocks).
    [[nodiscard]] constexpr const char* check(const plan& some) const {
        std::uint64_t sum = 0;
        for (const step& next : some.steps) sum += next.nanoseconds;
        if (sum != some.nanoseconds) return "the prices of the steps do not add up";
        if (some.lower_bound > some.nanoseconds) return "the plan is cheaper than its lower bound";
        if (const char* broken = carry_out(some, some.steps.size())) return broken;
        for (std::size_t at = 0; at < some.steps.size(); ++at) {
            if (carry_out(some, at) != nullptr) continue;
            switch (some.steps[at].what) {
            case step_kind::wait:
                // Nobody waits for a fence that is reached: frees take effect that may, as they do before relief.
                if (some.steps[at].to <= state_.reached.number) break;
                return "the plan waits in vain";
            case step_kind::evict:
                return "a program is evicted in vain";
            case step_kind::move:
                return "a block is moved in vain";
            }
        }
        return nullptr;
    }

    /// What is claimed to be proven is true. That all arrangements were looked at is not checked: that takes looking at
    /// all of them. O(blocks x programs).
    [[nodiscard]] constexpr const char* check(infeasibility proof) const {
        memory_state<P> later = state_;
        later.retire(state_.issued);
        const memory now = memory_of(later);
        const std::uint64_t length = length_at_least(now);
        const std::uint64_t bottom = lowest_reservation(now);
        std::uint64_t free = now.capacity - bottom;
        std::uint64_t run_begin = bottom;
        std::uint64_t longest = 0;
        bool at_bottom = true;
        std::uint64_t above_reservation = now.capacity;
        for (const block& one : now.blocks) {
            if (may_leave(now, one)) continue;
            free -= one.size;
            if (!one.wall) continue;
            if (at_bottom) above_reservation = one.offset;
            at_bottom = false;
            if (one.offset > run_begin && one.offset - run_begin > longest) longest = one.offset - run_begin;
            run_begin = one.offset + one.size;
        }
        if (now.capacity - run_begin > longest) longest = now.capacity - run_begin;
        switch (proof) {
        case infeasibility::too_few_bytes:
            return free + (wanted_.anchored ? bottom : 0) < length ? nullptr : "there are enough bytes";
        case infeasibility::walls: {
            const std::uint64_t unit = wanted_.anchored ? 1 : later.blocks.requirement(wanted_).alignment;
            if (wanted_.anchored) return above_reservation < length ? nullptr : "the walls leave enough room";
            // Aligned runs: each stretch again.
            run_begin = bottom;
            for (const block& one : now.blocks) {
                if (may_leave(now, one) || !one.wall) continue;
                if (holds(run_begin, one.offset, length, unit)) return "the walls leave enough room";
                run_begin = one.offset + one.size;
            }
            return holds(run_begin, now.capacity, length, unit) ? "the walls leave enough room" : nullptr;
        }
        case infeasibility::unknown:
        case infeasibility::no_arrangement:
        case infeasibility::wrong_call:
            break;
        }
        return nullptr;
    }

private:
    struct block {
        std::uint64_t offset;
        std::uint64_t size;
        std::uint64_t alignment;
        std::uint32_t index;
        std::uint32_t owner;  // a program's slot
        bool held;            // pinned, or in use by a run
        bool wall;            // may not move
    };
    struct memory {
        std::vector<block> blocks;          // without the reservation, by offset at first
        std::vector<std::uint32_t> inside;  // the programs in memory
        std::uint64_t reserved = 0;
        std::uint64_t capacity = 0;
    };

    static constexpr bool holds(std::uint64_t low, std::uint64_t high, std::uint64_t length,
                                std::uint64_t unit) noexcept {
        const std::uint64_t begin = low + (unit - low % unit) % unit;
        return begin <= high && high - begin >= length;
    }
    static constexpr bool is_shared() noexcept {
        if constexpr (reserves<P>)
            return P::sharing == scratch_sharing::shared;
        else
            return false;
    }

    [[nodiscard]] constexpr memory memory_of(const memory_state<P>& some) const {
        memory now;
        const auto& map = some.blocks.map();
        now.capacity = map.capacity();
        for (block_index at = map.first(); at != no_block; at = map.next(at)) {
            const block_kind kind = map.kind(at);
            if (map.is_hole(at)) continue;
            if (kind == block_kind::reservation) {
                now.reserved = map.size(at);
                continue;
            }
            const bool held = map.pins(at) != 0 || map.holds(at) != 0;
            const bool of_program = kind == block_kind::code || kind == block_kind::scratch;
            now.blocks.push_back({map.offset(at), map.size(at), map.alignment(at), at,
                                  of_program ? map.owner(at) : no_index, held,
                                  !compacts<P> || kind == block_kind::deferred || held});
        }
        for (std::uint32_t slot = 0; slot < some.programs.size(); ++slot)
            if (some.programs[slot].resident) now.inside.push_back(slot);
        return now;
    }

    /// Null when a program may be evicted, or why it may not.
    [[nodiscard]] constexpr const char* stays(const memory& now, std::uint32_t slot) const noexcept {
        if (!evicting_) return "a program is evicted although nobody may leave";
        if (slot == protected_slot_) return "the program that memory is wanted for is evicted";
        bool inside = false;
        for (const std::uint32_t one : now.inside) inside = inside || one == slot;
        if (!inside) return "a program is evicted that is not in memory";
        for (const block& one : now.blocks)
            if (one.owner == slot && one.index == state_.programs[slot].code_block && one.held)
                return "a program is evicted while it runs";
        return nullptr;
    }
    [[nodiscard]] constexpr bool may_leave(const memory& now, const block& one) const noexcept {
        return one.owner != no_index && stays(now, one.owner) == nullptr;
    }

    /// The scratch that a set of programs needs.
    template <class Counts>
    [[nodiscard]] constexpr std::uint64_t level(const memory& now, Counts counts) const noexcept {
        std::uint64_t needed = 0;
        for (const std::uint32_t slot : now.inside) {
            if (!counts(slot)) continue;
            const std::uint64_t scratch = state_.programs[slot].scratch / state_.spec.quantum;
            if (!is_shared())
                needed += scratch;
            else if (scratch > needed)
                needed = scratch;
        }
        return needed;
    }
    [[nodiscard]] constexpr std::uint64_t level(const memory& now) const noexcept {
        return level(now, [](std::uint32_t) { return true; });
    }
    [[nodiscard]] constexpr std::uint64_t level_of_those_that_stay(const memory& now) const noexcept {
        return level(now, [&](std::uint32_t slot) { return stays(now, slot) != nullptr; });
    }
    [[nodiscard]] constexpr std::uint64_t lowest_reservation(const memory& now) const noexcept {
        if (!reserves<P> || wanted_.anchored) return now.reserved;
        const std::uint64_t lowest = level_of_those_that_stay(now);
        return lowest < now.reserved ? lowest : now.reserved;
    }
    [[nodiscard]] constexpr std::uint64_t length_in(const memory& now) const noexcept {
        if (!wanted_.anchored) return state_.blocks.requirement(wanted_).length;
        const std::uint64_t needed = level(now);
        return !is_shared() && needed < wanted_.length ? needed : wanted_.length;
    }
    [[nodiscard]] constexpr std::uint64_t length_at_least(const memory& now) const noexcept {
        if (!wanted_.anchored || is_shared()) return length_in(now);
        const std::uint64_t least = level_of_those_that_stay(now);
        return least < wanted_.length ? least : wanted_.length;
    }

    [[nodiscard]] static constexpr bool is_free(const memory& now, std::uint64_t low, std::uint64_t high,
                                                std::uint32_t except) noexcept {
        if (low < now.reserved || high > now.capacity) return false;
        for (const block& one : now.blocks)
            if (one.index != except && one.offset < high && low < one.offset + one.size) return false;
        return true;
    }
    [[nodiscard]] constexpr bool fits(const memory& now) const noexcept {
        const std::uint64_t length = length_in(now);
        if (wanted_.anchored) return length <= now.reserved || is_free(now, now.reserved, length, no_index);
        const std::uint64_t unit = state_.blocks.requirement(wanted_).alignment;
        if (length > now.capacity) return false;
        // The lowest place for the run begins at the reservation or after some block.
        const auto fits_from = [&](std::uint64_t low) {
            const std::uint64_t begin = low + (unit - low % unit) % unit;
            return begin <= now.capacity - length && is_free(now, begin, begin + length, no_index);
        };
        if (fits_from(now.reserved)) return true;
        for (const block& one : now.blocks)
            if (fits_from(one.offset + one.size)) return true;
        return false;
    }

    constexpr const char* evict(memory& now, const step& next) const {
        if (const char* broken = stays(now, next.subject)) return broken;
        const program_record& record = state_.programs[next.subject];
        if (next.nanoseconds != record.reload_nanoseconds) return "an eviction does not cost what a reload does";
        if (next.bytes != record.code) return "an eviction does not name the bytes of the program's code";
        if (next.from != record.generation) return "an eviction is of another program";
        std::size_t left = 0;
        for (const block& one : now.blocks)
            if (one.owner != next.subject) now.blocks[left++] = one;
        now.blocks.resize(left, block{});
        left = 0;
        for (const std::uint32_t slot : now.inside)
            if (slot != next.subject) now.inside[left++] = slot;
        now.inside.resize(left);
        if constexpr (reserves<P>) {
            const std::uint64_t needed = level(now);
            if (needed <= now.reserved || is_free(now, now.reserved, needed, no_index)) now.reserved = needed;
        }
        return nullptr;
    }
    constexpr const char* move(memory& now, const step& next) const {
        for (block& one : now.blocks) {
            if (one.index != next.subject) continue;
            if (one.wall) return "a wall is moved";
            const std::uint64_t quantum = state_.spec.quantum;
            if (next.from != one.offset * quantum) return "a block is moved from where it is not";
            if (next.bytes != one.size * quantum) return "a move has another size than its block";
            if (next.to % quantum != 0 || next.to / quantum % one.alignment != 0)
                return "a block is moved off its alignment";
            const std::uint64_t to = next.to / quantum;
            if (to < now.reserved) return "a block is moved into the reservation";
            if (to > now.capacity - one.size) return "a block is moved out of memory";
            if (!is_free(now, to, to + one.size, one.index)) return "a block is moved onto another";
            const std::uint64_t distance = next.from < next.to ? next.to - next.from : next.from - next.to;
            if (next.nanoseconds != state_.spec.move_nanoseconds(next.bytes, distance))
                return "a move has another price";
            if (next.copies != state_.spec.copies_of(next.bytes, distance)) return "a move takes other copies";
            one.offset = to;
            return nullptr;
        }
        return "a block is moved that is not there";
    }

    /// Carries all steps out but one, on a list of blocks.
    [[nodiscard]] constexpr const char* carry_out(const plan& some, std::size_t skipped) const {
        memory_state<P> later = state_;
        memory now = memory_of(later);
        for (std::size_t at = 0; at < some.steps.size(); ++at) {
            if (at == skipped) continue;
            const step& next = some.steps[at];
            const char* broken = nullptr;
            if (next.what == step_kind::wait) {
                if (at != 0) return "a plan waits after it has begun";
                if (next.to > state_.issued.number) return "a plan waits for a run that was never begun";
                std::uint64_t price = 0;
                for (const flight& one : state_.flights)
                    if (one.over.number <= next.to) price += one.nanoseconds;
                if (next.nanoseconds != price) return "waiting does not cost what the runs take";
                later.retire(fence{next.to});
                now = memory_of(later);
            } else {
                broken = next.what == step_kind::evict ? evict(now, next) : move(now, next);
            }
            if (broken != nullptr) return broken;
        }
        return fits(now) ? nullptr : "what is wanted does not fit afterwards";
    }

    memory_state<P> state_;
    need<quanta> wanted_;
    std::uint32_t protected_slot_;
    bool evicting_;
};

}  // namespace hbm::testing
