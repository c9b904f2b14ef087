#pragma once

/// Waiting, evicting, moving and unpinning, each alone and together: what of it makes room for a demand.

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/report/advice.hpp>
#include <hbm/report/demand.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace hbm {

/// Tries each combination of kinds that has something to work on: first with all of it; if that helps, with as little
/// as will do. Freeing more never hurts, so that a combination is missed only where `demand::moves_in` misses the
/// moves. O(combinations x (log n + what is left) x cost of `moves_in`).
template <placement P>
class combinations {
    using state_type = memory_state<P>;

public:
    /// `blocks` are those of the memory of `wanted`, which must live as long.
    template <class Blocks>
    combinations(const demand<P>& wanted, const Blocks& blocks) : wanted_(wanted) {
        const state_type& before = wanted.before();
        all_.waits = before.can_wait() ? before.flights.size() + 1 : 0;
        state_type later = before;
        later.retire(before.issued);
        for (std::uint32_t slot = 0; slot < later.programs.size(); ++slot)
            if (slot != wanted.slot() && later.can_evict(slot))
                all_.evicted.push_back({.index = slot, .price = later.programs[slot].reload_nanoseconds});
        for (const block_view& block : blocks)
            if (block.kind == block_kind::data && block.pins != 0)
                all_.unpinned.push_back({.index = block.handle.index,
                                         .price = before.spec.move_nanoseconds(block.where.size),
                                         .handle = block.handle});
        // The dearest first: they are spared first.
        for (std::vector<subject>* some : {&all_.evicted, &all_.unpinned})
            std::sort(some->begin(), some->end(), [](const subject& a, const subject& b) {
                return a.price != b.price ? a.price > b.price : a.index < b.index;
            });
    }

    /// The memory after everything: all fences reached, nothing evictable left, nothing pinned.
    [[nodiscard]] state_type after_everything() const { return after(all_); }

    /// Calls `offer(advice)` for what it finds; true means that it holds good. What is no cheaper than another that is
    /// part of it is not offered.
    template <class Offer>
    void find(Offer offer) {
        constexpr unsigned sorted[] = {waiting,
                                       evicting,
                                       moving,
                                       waiting | evicting,
                                       waiting | moving,
                                       evicting | moving,
                                       moving | unpinning,
                                       waiting | evicting | moving,
                                       waiting | moving | unpinning,
                                       evicting | moving | unpinning,
                                       waiting | evicting | moving | unpinning};
        for (const unsigned kinds : sorted) {
            const bool possible =
                ((kinds & waiting) == 0 || all_.waits != 0) && ((kinds & evicting) == 0 || !all_.evicted.empty()) &&
                ((kinds & unpinning) == 0 || !all_.unpinned.empty()) && ((kinds & moving) == 0 || relocates<P>);
            std::uint64_t limit = cheapest_within(kinds);
            if (!possible || min_price(kinds) >= limit) continue;
            const bool either_way = (kinds & waiting) != 0 && (kinds & evicting) != 0;
            for (const bool waits_first : {true, false}) {
                if (!waits_first && !either_way) continue;
                const std::optional<advice> given = with(kinds, waits_first);
                if (!given || kinds_of(*given) != kinds || given->nanoseconds() >= limit || !offer(*given)) continue;
                limit = given->nanoseconds();
                prices_.push_back({kinds, limit});
            }
        }
    }

private:
    static constexpr unsigned waiting = 1, evicting = 2, moving = 4, unpinning = 8;
    // For one combination; then what is left is not made less. Fewer where a try takes longer.
    static constexpr std::size_t max_tries = 600;
    static constexpr std::size_t min_tries = 12;
    static constexpr std::size_t many_blocks = 256;
    static constexpr std::size_t max_unpinned = 32;  // nobody acts on more
    static constexpr std::size_t few_subjects = 6;

    /// Something that can go: a slot to be evicted, or a block to be unpinned.
    struct subject {
        std::uint32_t index = 0;
        std::uint64_t price = 0;
        buffer handle = {};
    };
    /// What is done before blocks move. `waits` is one more than the runs that are waited for; 0 is no waiting.
    struct choice {
        std::size_t waits = 0;
        std::vector<subject> evicted = {};
        std::vector<subject> unpinned = {};
    };

    [[nodiscard]] static unsigned kinds_of(const advice& given) noexcept {
        return (given.has(step_kind::wait) ? waiting : 0u) | (given.has(step_kind::evict) ? evicting : 0u) |
               (given.has(step_kind::move) ? moving : 0u) | (given.unpin.empty() ? 0u : unpinning);
    }
    /// The least price of what was found that is part of a combination.
    [[nodiscard]] std::uint64_t cheapest_within(unsigned kinds) const {
        std::uint64_t least = ~std::uint64_t{0};
        for (const auto& [others, price] : prices_)
            if ((others & ~kinds) == 0) least = std::min(least, price);
        return least;
    }
    /// Nothing of these kinds is cheaper.
    [[nodiscard]] std::uint64_t min_price(unsigned kinds) const {
        const memory_spec& spec = wanted_.before().spec;
        return ((kinds & moving) != 0 ? spec.move_nanoseconds(spec.quantum) : 0) +
               ((kinds & evicting) != 0 ? all_.evicted.back().price : 0);
    }

    [[nodiscard]] fence fence_of(const choice& done) const {
        const state_type& before = wanted_.before();
        return done.waits < 2 ? before.reached : before.flights[done.waits - 2].over;
    }
    [[nodiscard]] state_type after(const choice& done) const {
        state_type later = wanted_.before();
        if (done.waits != 0) later.retire(fence_of(done));
        for (const subject& one : done.unpinned)
            while (later.blocks.map().pins(one.index) != 0) later.blocks.map().unpin(one.index);
        for (const subject& one : done.evicted)
            if (later.can_evict(one.index)) later.evict(one.index);
        return later;
    }

    [[nodiscard]] std::size_t tries_allowed() const noexcept {
        const std::size_t blocks = wanted_.before().blocks.map().live_blocks() / many_blocks + 1;
        return std::max(max_tries / blocks, min_tries);
    }
    [[nodiscard]] std::optional<plan> moves_after(const choice& done, unsigned kinds) {
        if (++tries_ > tries_allowed()) return std::nullopt;
        const state_type later = after(done);
        if ((kinds & moving) == 0) return wanted_.fits(later) ? std::optional<plan>{plan{}} : std::nullopt;
        std::pair<search_end, plan> way = wanted_.moves_in(later);
        return way.first == search_end::found ? std::optional<plan>{way.second} : std::nullopt;
    }

    [[nodiscard]] std::optional<advice> with(unsigned kinds, bool waits_first) {
        tries_ = 0;
        choice done;
        if ((kinds & waiting) != 0) done.waits = all_.waits;
        if ((kinds & evicting) != 0) done.evicted = all_.evicted;
        if ((kinds & unpinning) != 0) done.unpinned = all_.unpinned;
        std::optional<plan> moves = moves_after(done, kinds);
        if (!moves) return std::nullopt;
        if ((kinds & unpinning) != 0) {
            unpin_what_moves(done, *moves);
            if (done.unpinned.empty() || done.unpinned.size() > max_unpinned) return std::nullopt;
        }
        if (waits_first) wait_less(done, kinds);
        spare(done, kinds, done.unpinned);
        spare(done, kinds, done.evicted);
        if (!waits_first) wait_less(done, kinds);
        tries_ = 0;
        moves = moves_after(done, kinds);
        return moves ? std::optional{as_advice(done, *moves)} : std::nullopt;
    }

    /// What no move is about may stay pinned: the moves are as good as they were.
    static void unpin_what_moves(choice& done, const plan& moves) {
        std::erase_if(done.unpinned, [&](const subject& one) {
            for (const step& next : moves.steps)
                if (next.what == step_kind::move && next.subject == one.index) return false;
            return true;
        });
    }

    void wait_less(choice& done, unsigned kinds) {
        for (std::size_t least = 1; least < done.waits;) {
            choice shorter = done;
            shorter.waits = least + (done.waits - least) / 2;
            if (moves_after(shorter, kinds))
                done = shorter;
            else
                least = shorter.waits + 1;
        }
    }

    /// Takes whoever would go in vain off `some`, which is part of `done`: if one alone is enough, all but the cheapest
    /// such; else in ever smaller groups.
    void spare(choice& done, unsigned kinds, std::vector<subject>& some) {
        const std::vector<subject> all = some;
        if (all.size() > 1 && all.size() <= few_subjects) {
            for (std::size_t i = all.size(); i-- > 0;) {
                some = {all[i]};
                if (moves_after(done, kinds)) return;
            }
            some = all;
        }
        for (std::size_t group = some.size() / 2; group != 0; group /= 2) {
            for (std::size_t at = 0; at < some.size();) {
                const std::vector<subject> before = some;
                const auto first = some.begin() + static_cast<std::ptrdiff_t>(at);
                some.erase(first, first + static_cast<std::ptrdiff_t>(std::min(group, some.size() - at)));
                if (!some.empty() && moves_after(done, kinds)) continue;
                some = before;
                at += group;
            }
        }
    }

    [[nodiscard]] advice as_advice(const choice& done, const plan& moves) const {
        const state_type& before = wanted_.before();
        advice given;
        for (const subject& one : done.unpinned) given.unpin.push_back(one.handle);
        if (done.waits != 0) {
            step wait{.what = step_kind::wait, .to = fence_of(done).number};
            for (std::size_t i = 0; i + 1 < done.waits; ++i)
                wait.nanoseconds = saturating_add(wait.nanoseconds, before.flights[i].nanoseconds);
            const state_type later = after({.waits = done.waits});
            wait.bytes =
                before.bytes(static_cast<typename P::quanta>(later.blocks.map().free() - before.blocks.map().free()));
            given.steps.add(wait);
        }
        for (const subject& one : done.evicted) given.steps.add(before.eviction_of(one.index));
        given.steps.add(moves);
        return given;
    }

    const demand<P>& wanted_;
    choice all_;
    std::size_t tries_ = 0;
    std::vector<std::pair<unsigned, std::uint64_t>> prices_;  // of what was found, with its kinds
};

}  // namespace hbm
