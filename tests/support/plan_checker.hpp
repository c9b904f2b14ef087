#pragma once

/// An independent checker of plans and refusals. It shares no code with what makes them: it keeps a list of blocks of
/// its own, on which it carries a plan out, knows the prices by a model of its own, and finds room by trying all ways.
/// Only of the placement it asks what a need requires and how short a block can be cut, which is the placement's word.

#include <hbm/planning/plan.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "testing/price_model.hpp"

namespace hbm::inline v0::testing {

/// Checks plans for all that a call needs against one memory, which has no move pending: room for each of the needs,
/// and for the reservation that the programs need which are resident, the one that comes in with the call included.
/// Every check returns null, or the broken rule as a sentence.
template <placement P>
class plan_checker {
public:
    using quanta = typename P::quanta;

    /// `needs` as the planner was asked; nobody may leave unless `evicting`, and never the program in `protected_slot`.
    /// `state` is referred to, not copied.
    constexpr plan_checker(const memory_state<P>& state, std::span<const need<quanta>> needs, bool evicting,
                           std::uint32_t protected_slot = no_index)
        : state_(state), evicting_(evicting), protected_slot_(protected_slot) {
        for (const need<quanta>& each : needs) {
            const need<quanta> required = state.blocks.requirement(each);
            needs_.push_back({required.length, required.alignment});
        }
    }

    /// Each step is possible when its turn comes, and costs what it says; all needs fit afterwards, where the plan says
    /// if it does, and would not without any one of the steps; and the plan is not cheaper than it says that any could
    /// be. O(steps^2 x blocks^needs).
    [[nodiscard]] constexpr const char* check(const plan& some) const {
        std::uint64_t sum = 0;
        for (const step& next : some.steps) sum = plus(sum, next.nanoseconds);
        if (sum != some.nanoseconds) return "the prices of the steps do not add up";
        if (some.lower_bound > some.nanoseconds) return "the plan is cheaper than its lower bound";
        memory later = begin();
        if (const char* broken = carry_out(later, some, some.steps.size())) return broken;
        if (!fits(later)) return "what is needed does not fit afterwards";
        if (!some.places.empty())
            if (const char* broken = check_places(later, some.places)) return broken;
        for (std::size_t at = 0; at < some.steps.size(); ++at) {
            // Nobody waits for a fence that is reached: frees take effect that may, as they do before relief.
            if (some.steps[at].what == step_kind::wait && some.steps[at].to <= state_.reached.number) continue;
            later = begin();
            if (carry_out(later, some, at) != nullptr || !fits(later)) continue;
            switch (some.steps[at].what) {
            case step_kind::wait: return "the plan waits needlessly";
            case step_kind::evict: return "a program is evicted needlessly";
            case step_kind::move: return "a block is moved needlessly";
            }
        }
        return nullptr;
    }

    /// What is claimed to be proven is true, when everything has been waited for. That all arrangements were looked at
    /// is not checked: that takes looking at all of them. O(blocks^needs).
    [[nodiscard]] constexpr const char* check(infeasibility proof) const {
        memory later = begin();
        reach(later, state_.issued.number);
        const std::uint64_t level =
            level_of(later, [&](std::uint32_t slot) { return why_it_stays(later, slot) != nullptr; });
        std::uint64_t used = level;
        for (const length_and_unit& each : needs_) used += each.length;
        memory walls = later;
        walls.blocks.clear();
        walls.reserved = level;
        bool in_the_way = false;
        for (const block& each : later.blocks) {
            if (each.owner != no_index && why_it_stays(later, each.owner) == nullptr) continue;
            used += each.size;
            if (!each.wall()) continue;
            in_the_way = in_the_way || each.offset < level;
            walls.blocks.push_back(each);
        }
        if (proof == infeasibility::too_few_bytes) return used > later.capacity ? nullptr : "there are enough bytes";
        if (proof == infeasibility::walls)
            return in_the_way || level > later.capacity || !all_find_room(walls) ? nullptr
                                                                                 : "the walls leave enough room";
        return nullptr;
    }

private:
    struct length_and_unit {
        std::uint64_t length;
        std::uint64_t unit;
    };
    struct block {
        std::uint64_t offset;
        std::uint64_t size;
        std::uint64_t alignment;
        std::uint64_t granted;
        block_index index;
        std::uint32_t owner;  // a program's slot
        std::uint32_t pins;
        std::uint32_t holds;  // of runs
        bool deferred;        // is freed as soon as nothing holds it

        [[nodiscard]] constexpr bool wall() const noexcept {
            return !compacts<P> || deferred || pins != 0 || holds != 0;
        }
    };
    struct memory {
        std::vector<block> blocks;             // without the reservation
        std::vector<std::uint32_t> residents;  // slots of the programs in memory
        std::uint64_t reserved = 0;
        std::uint64_t capacity = 0;
        std::uint64_t reached = 0;  // a fence's number
    };

    [[nodiscard]] static constexpr std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
        return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b;
    }

    [[nodiscard]] constexpr memory begin() const {
        memory now;
        const auto& map = state_.blocks.map();
        now.capacity = map.capacity();
        now.reached = state_.reached.number;
        for (block_index at = map.first(); at != no_block; at = map.next(at)) {
            const block_kind kind = map.kind(at);
            if (kind == block_kind::hole) continue;
            if (kind == block_kind::reservation) {
                now.reserved = map.size(at);
                continue;
            }
            const bool of_program = kind == block_kind::code || kind == block_kind::scratch;
            now.blocks.push_back({.offset = map.offset(at),
                                  .size = map.size(at),
                                  .alignment = map.alignment(at),
                                  .granted = map.granted(at),
                                  .index = at,
                                  .owner = of_program ? map.owner(at) : no_index,
                                  .pins = map.pins(at),
                                  .holds = map.holds(at),
                                  .deferred = kind == block_kind::deferred});
        }
        for (std::uint32_t slot = 0; slot < state_.programs.size(); ++slot)
            if (state_.programs[slot].resident) now.residents.push_back(slot);
        return now;
    }

    /// The runs up to a fence are over, and frees that nothing stands against any more take effect.
    constexpr void reach(memory& now, std::uint64_t fence_number) const {
        const std::uint64_t before = now.reached;
        if (fence_number > now.reached) now.reached = fence_number;
        std::size_t first = 0;
        for (const flight& run : state_.flights) {
            const bool ends = run.over.number > before && run.over.number <= now.reached;
            for (std::size_t at = first; at < first + run.holds; ++at)
                for (block& each : now.blocks)
                    if (ends && each.index == state_.held[at]) end_hold(each);
            first += run.holds;
        }
        std::vector<block> left;
        for (const block& each : now.blocks) {
            bool ends = each.deferred && each.holds == 0;
            for (const deferred_free& waiting : state_.deferred)
                if (waiting.block == each.index && waiting.until.number > now.reached) ends = false;
            if (!ends) left.push_back(each);
        }
        now.blocks = left;
    }
    /// A block that a donation left too long is cut when the last run that used it is over.
    constexpr void end_hold(block& held) const {
        --held.holds;
        if constexpr (shrinks<P>) {
            if (held.holds != 0 || held.deferred || held.owner != no_index || held.granted == held.size) return;
            P trial = state_.blocks;
            trial.shrink(held.index, static_cast<quanta>(held.granted));
            held.size = trial.map().size(held.index);
        }
    }

    /// Null when a program may be evicted, or why it may not. A program without code is the one that comes in.
    [[nodiscard]] constexpr const char* why_it_stays(const memory& now, std::uint32_t slot) const noexcept {
        if (!evicting_) return "a program is evicted although nobody may leave";
        if (slot == protected_slot_) return "the program is evicted that the call is for";
        bool resident = false;
        for (const std::uint32_t each : now.residents) resident = resident || each == slot;
        if (!resident) return "a program is evicted that is not in memory";
        const block_index code = state_.programs[slot].code_block;
        if (code == no_block) return "the program is evicted that comes in";
        for (const block& each : now.blocks)
            if (each.index == code && (each.pins != 0 || each.holds != 0)) return "a program is evicted while it runs";
        return nullptr;
    }

    /// The reservation that the programs in memory need which count.
    template <class Counts>
    [[nodiscard]] constexpr std::uint64_t level_of(const memory& now, Counts counts) const noexcept {
        std::uint64_t level = 0;
        if constexpr (reserves<P>) {
            for (const std::uint32_t slot : now.residents) {
                if (!counts(slot)) continue;
                const std::uint64_t scratch = state_.programs[slot].scratch / state_.spec.quantum;
                if (P::sharing == scratch_sharing::per_program)
                    level = plus(level, scratch);
                else if (scratch > level)
                    level = scratch;
            }
        }
        return level;
    }
    [[nodiscard]] constexpr std::uint64_t level_of(const memory& now) const noexcept {
        return level_of(now, [](std::uint32_t) { return true; });
    }

    /// Returns true if nothing but the block `except`, if that, and not the reservation, is in the range.
    [[nodiscard]] static constexpr bool is_free(const memory& now, std::uint64_t low, std::uint64_t high,
                                                block_index except = no_block) noexcept {
        if (low < now.reserved || high > now.capacity || high < low) return false;
        for (const block& each : now.blocks)
            if (each.index != except && each.offset < high && low < each.offset + each.size) return false;
        return true;
    }
    /// All needs at once. If they fit at all, they also do when each is as low as the block, reservation or other need
    /// below it lets it be.
    [[nodiscard]] constexpr bool all_find_room(const memory& now) const {
        memory trial = now;
        return find_room(trial, std::vector<bool>(needs_.size(), false));
    }
    [[nodiscard]] constexpr bool find_room(memory& trial, const std::vector<bool>& placed) const {
        bool all = true;
        for (std::size_t at = 0; at < needs_.size(); ++at) {
            if (placed[at]) continue;
            all = false;
            std::vector<bool> more = placed;
            more[at] = true;
            std::vector<std::uint64_t> ends{trial.reserved};
            for (const block& each : trial.blocks) ends.push_back(each.offset + each.size);
            for (const std::uint64_t end : ends) {
                const std::uint64_t low = end + (needs_[at].unit - end % needs_[at].unit) % needs_[at].unit;
                if (low < end || needs_[at].length > trial.capacity || !is_free(trial, low, low + needs_[at].length))
                    continue;
                trial.blocks.push_back(
                    {low, needs_[at].length, 1, needs_[at].length, no_block - 1, no_index, 0, 0, false});
                const bool found = find_room(trial, more);
                trial.blocks.pop_back();
                if (found) return true;
            }
        }
        return all;
    }
    /// The reservation can be what the programs in memory need, and all needs find room above it.
    [[nodiscard]] constexpr bool fits(const memory& now) const {
        memory later = now;
        if (!reserve(later)) return false;
        return all_find_room(later);
    }
    [[nodiscard]] constexpr bool reserve(memory& now) const {
        if constexpr (reserves<P>) {
            const std::uint64_t level = level_of(now);
            if (level > now.reserved && !is_free(now, now.reserved, level)) return false;
            now.reserved = level;
        }
        return true;
    }
    [[nodiscard]] constexpr const char* check_places(const memory& now,
                                                     const trivial_vector<std::uint64_t>& places) const {
        if (places.size() != needs_.size()) return "the plan has other places than there are needs";
        memory later = now;
        if (!reserve(later)) return "the reservation has no room afterwards";
        for (std::size_t at = 0; at < places.size(); ++at) {
            const std::uint64_t low = places[at] / state_.spec.quantum;
            if (places[at] % state_.spec.quantum != 0 || low % needs_[at].unit != 0) return "a place is not aligned";
            if (needs_[at].length > later.capacity || !is_free(later, low, low + needs_[at].length))
                return "a place is not free";
            later.blocks.push_back({low, needs_[at].length, 1, needs_[at].length, no_block - 1, no_index, 0, 0, false});
        }
        return nullptr;
    }

    constexpr const char* evict(memory& now, const step& next) const {
        if (const char* broken = why_it_stays(now, next.subject)) return broken;
        const program_record& record = state_.programs[next.subject];
        if (next.nanoseconds != record.reload_nanoseconds) return "an eviction does not cost what a reload does";
        if (next.bytes != record.code) return "an eviction does not name the bytes of the program's code";
        if (next.from != record.generation) return "an eviction is of another program";
        std::vector<block> blocks;
        for (const block& each : now.blocks)
            if (each.owner != next.subject) blocks.push_back(each);
        now.blocks = blocks;
        std::vector<std::uint32_t> residents;
        for (const std::uint32_t slot : now.residents)
            if (slot != next.subject) residents.push_back(slot);
        now.residents = residents;
        (void)reserve(now);
        return nullptr;
    }
    constexpr const char* move(memory& now, const step& next) const {
        for (block& each : now.blocks) {
            if (each.index != next.subject) continue;
            if (each.wall()) return "a wall is moved";
            const std::uint64_t quantum = state_.spec.quantum;
            if (next.from != each.offset * quantum) return "a block is moved from where it is not";
            if (next.bytes != each.size * quantum) return "a move has another size than its block";
            if (next.to % quantum != 0 || next.to / quantum % each.alignment != 0)
                return "a block is moved off its alignment";
            const std::uint64_t to = next.to / quantum;
            if (to < now.reserved) return "a block is moved into the reservation";
            if (to > now.capacity - each.size) return "a block is moved out of memory";
            if (!is_free(now, to, to + each.size, each.index)) return "a block is moved onto another";
            const move_model device{state_.spec.bandwidth, state_.spec.copy_nanoseconds, state_.spec.bounce};
            const move_price price =
                price_of_moving(device, next.bytes, next.from < next.to ? next.to - next.from : next.from - next.to);
            if (next.nanoseconds != price.nanoseconds) return "a move has another price";
            if (next.copies != price.copies) return "a move takes other copies";
            each.offset = to;
            return nullptr;
        }
        return "a block is moved that is not there";
    }
    constexpr const char* wait(memory& now, const step& next) const {
        if (next.to > state_.issued.number) return "a plan waits for a run that was never begun";
        std::uint64_t price = 0;
        for (const flight& run : state_.flights)
            if (run.over.number <= next.to) price = plus(price, run.nanoseconds);
        if (next.nanoseconds != price) return "waiting does not cost what the runs take";
        reach(now, next.to);
        return nullptr;
    }

    /// Carries all steps out but the one at `skipped`.
    [[nodiscard]] constexpr const char* carry_out(memory& now, const plan& some, std::size_t skipped) const {
        for (std::size_t at = 0; at < some.steps.size(); ++at) {
            if (at == skipped) continue;
            const step& next = some.steps[at];
            if (next.what == step_kind::wait && at != 0) return "a plan waits after it has begun";
            const char* broken = next.what == step_kind::wait    ? wait(now, next)
                                 : next.what == step_kind::evict ? evict(now, next)
                                                                 : move(now, next);
            if (broken != nullptr) return broken;
        }
        return nullptr;
    }

    const memory_state<P>& state_;
    std::vector<length_and_unit> needs_;
    bool evicting_;
    std::uint32_t protected_slot_;
};

}  // namespace hbm::inline v0::testing
