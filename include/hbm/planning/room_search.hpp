#pragma once

#include <hbm/planning/room_maker.hpp>

namespace hbm::inline v0 {

/// Fast search for the cheapest changes after which a layout meets its goal, which it does not yet meet. For a single
/// need or growth of the reservation, `room_maker` finds them. Several goals are met one after another: growth first,
/// then the needs in several orders, or one run for all. A need that was met is a block that moves for free.
///
/// Alignment may require more: `run_deeply` takes any solution, at any depth and with repeated moves. Under buddy,
/// whose blocks are bound to multiples of their size, one exists if there are no walls and enough is free: some place
/// for a block touches a hole, so all blocks there are smaller.
class room_search {
public:
    /// `effort` limits the number of blocks visited; the slide is always searched.
    constexpr room_search(layout&& start, std::uint64_t effort) : maker_(static_cast<layout&&>(start), effort) {}

    /// Returns the price of the cheapest solution found below `limit`, with its changes in `changes()`, or
    /// `unlimited_price`.
    [[gnu::cold]] constexpr std::uint64_t run(std::uint64_t limit) {
        const layout& now = maker_.now();
        const std::uint64_t level = now.level();
        const bool grows = level > now.bottom;
        if (now.needs.size() > 1 || (grows && !now.needs.empty())) return run_for_all(limit, grows);
        const std::uint64_t price = grows ? maker_.grow_to(level, limit) : maker_.open(now.needs[0], limit);
        changes_ = maker_.changes();
        return price;
    }
    /// Like `run`, but takes the first solution found, at any depth.
    [[gnu::cold]] constexpr std::uint64_t run_deeply() {
        maker_.search_deeply();
        return run(unlimited_price);
    }

    constexpr std::uint64_t effort() const noexcept { return maker_.effort(); }
    /// Returns the changes in executable order.
    constexpr const trivial_vector<change>& changes() const noexcept { return changes_; }

private:
    /// The needs that are met one after another; one run is opened for all others. The quick ones come first: needs
    /// that fit as they are cost nothing, and one run for all is often cheaper than a run for each. Without the last
    /// two orders 5 of 1,191 layouts of 24 to 60 quanta that have a plan are refused; without the last alone, plans for
    /// many needs in 100 to 400 quanta cost 0.9 % more.
    enum class turns : std::uint8_t { those_that_fit, none, longest_first, as_given };

    [[gnu::cold]] constexpr std::uint64_t run_for_all(std::uint64_t limit, bool grows) {
        // Orders share the effort, and each limits the next by the best price so far. All start from the layout after
        // the growth, which is paid once.
        const trivial_vector<layout_need> needs = static_cast<trivial_vector<layout_need>&&>(maker_.now().needs);
        const std::uint64_t level = maker_.now().level();
        const layout_need all = all_in_one(needs);
        std::uint64_t best = limit;
        trivial_vector<change> best_changes;
        const auto consider = [&](std::uint64_t price) {
            if (price >= best) return;
            best = price;
            best_changes = maker_.changes();
        };
        maker_.now().needs.clear();
        std::uint64_t growth = 0;
        if (grows) {
            // Last resort: all needs right above the reservation.
            const std::uint64_t low = align_up(level, all.alignment);
            if (low >= level) consider(maker_.grow_to(saturating_add(low, all.length), limit));
            maker_.drop_pending();
            growth = maker_.grow_to(level, best);
        }
        if (growth < best) {
            maker_.apply_pending();
            layout& now = maker_.now();
            if (now.bottom < level) now.bottom = now.level() < level ? now.level() : level;
            const layout grown = now;
            const trivial_vector<change> first = maker_.changes();
            for (const turns order : {turns::those_that_fit, turns::none, turns::longest_first, turns::as_given}) {
                const bool slow = order >= turns::longest_first;
                if (best == growth || (slow && maker_.effort() == 0 && (order == turns::as_given || best < limit)))
                    break;
                if (order != turns::those_that_fit) maker_.restart(grown, first);
                const std::uint64_t price = saturating_add(growth, open_all(needs, order, best - growth));
                if (price < best && (needs.size() <= max_needs_packed_exactly || hold(needs))) consider(price);
            }
        }
        for (const change& next : best_changes)  // without moves of blocks that stand for needs
            if (next.evicts || next.subject != no_block) changes_.push_back(next);
        return best == limit ? unlimited_price : best;
    }

    /// Applies the pending changes. Returns true if the packer finds room for all needs then: more of them than it
    /// packs exactly may fit where they were promised room, and it may find other places only.
    [[gnu::cold]] constexpr bool hold(const trivial_vector<layout_need>& needs) {
        maker_.apply_pending();
        layout later = maker_.now();
        later.needs = needs;
        for (layout_block& block : later.blocks) block.gone = block.gone || block.block == no_block;
        return later.fits();
    }

    /// Makes room for several needs. The last changes stay pending.
    [[gnu::cold]] constexpr std::uint64_t open_all(trivial_vector<layout_need> needs, turns order,
                                                   std::uint64_t limit) {
        // A need that was given room becomes a block, so that the next one does not get the same room. Moving it again
        // is free: the promise is of room, not of this place.
        if (order != turns::as_given) sort_needs(needs, false);
        std::uint64_t price = 0;
        trivial_vector<layout_need> rest;
        for (const layout_need& need : needs) {
            if (order != turns::none && maker_.promise(need)) continue;
            if (order == turns::none || order == turns::those_that_fit) {
                rest.push_back(need);
                continue;
            }
            const std::uint64_t more = maker_.open(need, limit - price);
            if (more == unlimited_price) return unlimited_price;
            maker_.apply_pending();
            price += more;
            if (!maker_.promise(need)) return unlimited_price;
        }
        return rest.empty() ? price : saturating_add(price, maker_.open(all_in_one(rest), limit - price));
    }

    room_maker maker_;
    trivial_vector<change> changes_;
};

}  // namespace hbm::inline v0
