#pragma once

#include <hbm/core/bytes.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/layout.hpp>
#include <hbm/search/room_maker.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// Fast search for the cheapest changes after which a layout meets its goal, which it does not yet meet. For a single
/// need or growth of the reservation, `room_maker` finds them. Several goals are met one after another: growth first,
/// then the needs in several orders, or one run for all. A need that was met is a block that moves for free.
///
/// Alignment may require more: `run_deeply` takes any solution, at any depth and with repeated moves. Under buddy,
/// whose blocks are bound to multiples of their size, one exists if there are no walls and enough is free: some place
/// for a block touches a hole, so all blocks there are smaller.
template <class Layout>
class room_search {
public:
    static constexpr std::uint64_t unlimited = room_maker<Layout>::unlimited;

    /// `effort` limits the number of blocks visited; the slide is always searched.
    [[gnu::cold]] constexpr room_search(Layout&& start, std::uint64_t effort)
        : maker_(static_cast<Layout&&>(start), effort) {}

    /// Returns the price of the cheapest solution found below `limit`, with its changes in `changes()`, or `unlimited`.
    [[gnu::cold]] constexpr std::uint64_t run(std::uint64_t limit) {
        const Layout& now = maker_.now();
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
        return run(unlimited);
    }

    [[nodiscard]] constexpr std::uint64_t effort() const noexcept { return maker_.effort(); }
    /// Returns the changes in executable order.
    [[nodiscard]] constexpr const trivial_vector<change>& changes() const noexcept { return changes_; }

private:
    using maker = room_maker<Layout>;

    /// The needs that are met one after another; one run is opened for all others.
    enum class turns : std::uint8_t { those_that_fit, none, longest_first, as_given };

    [[gnu::cold]] constexpr std::uint64_t run_for_all(std::uint64_t limit, bool grows) {
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
            Layout& now = maker_.now();
            if (now.bottom < level) now.bottom = now.level() < level ? now.level() : level;
            const Layout grown = now;
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
            if (next.evicts || !maker::stands_for_need(next.subject, needs.size())) changes_.push_back(next);
        return best == limit ? unlimited : best;
    }

    /// Applies the pending changes. True when all needs verifiably fit at the reserved places.
    [[nodiscard, gnu::cold]] constexpr bool hold(const trivial_vector<layout_need>& needs) {
        maker_.apply_pending();
        Layout later = maker_.now();
        later.needs = needs;
        for (layout_block& block : later.blocks)
            block.gone = block.gone || maker::stands_for_need(block.block, needs.size());
        return later.fits();
    }

    /// Makes room for several needs. The last changes stay pending.
    [[gnu::cold]] constexpr std::uint64_t open_all(trivial_vector<layout_need> needs, turns order,
                                                   std::uint64_t limit) {
        maker_.forget_promises();
        if (order != turns::as_given) sort_needs(needs, false);
        std::uint64_t price = 0;
        trivial_vector<layout_need> rest;
        for (const layout_need& need : needs) {
            if (order == turns::none || (order == turns::those_that_fit && !maker_.promise(need))) {
                rest.push_back(need);
            } else if (order != turns::those_that_fit && !maker_.promise(need)) {
                const std::uint64_t more = maker_.open(need, limit - price);
                if (more == unlimited) return unlimited;
                maker_.apply_pending();
                price += more;
                if (!maker_.promise(need)) return unlimited;
            }
        }
        return rest.empty() ? price : saturating_add(price, maker_.open(all_in_one(rest), limit - price));
    }

    maker maker_;
    trivial_vector<change> changes_;
};

}  // namespace hbm::inline v0
