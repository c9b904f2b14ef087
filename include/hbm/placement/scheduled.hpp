#pragma once

/// Offsets that are known beforehand: a plan of a program's requests, and a placement that follows it.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/placement/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0 {

/// A request of a plan, in quanta.
struct scheduled_block {
    /// The `below` of a block that lies above none.
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::uint64_t offset = 0;    ///< from the bottom of the plan
    std::uint64_t length = 1;    ///< granted quanta
    std::uint32_t below = none;  ///< index of the highest live block below it when it is placed

    friend constexpr bool operator==(const scheduled_block&, const scheduled_block&) = default;
};

/// The offsets planned for a sequence of requests; `pack::plan_into` computes them.
/// Requires: the memory behind `blocks` outlives this value and all placements that use it.
struct schedule {
    std::span<const scheduled_block> blocks = {};  ///< in the order of the requests
    std::uint64_t height = 0;                      ///< quanta that the plan occupies
    std::uint64_t alignment = 1;                   ///< alignment of the bottom of the plan, in quanta

    friend constexpr bool operator==(const schedule& a, const schedule& b) noexcept {
        return a.blocks.data() == b.blocks.data() && a.blocks.size() == b.blocks.size() && a.height == b.height &&
               a.alignment == b.alignment;
    }
};

/// Adaptor that gives blocks the offsets of a plan, as long as the program makes the requests of the plan. The first
/// request that has another length or a coarser alignment, or whose planned place is not free, ends the plan. So does a
/// place that is not found within 16 blocks, after frees that differ much from the plan's. From then on `P` places, in
/// all memory that is free, until `follow` is called again. Without a plan it is `P`.
///
/// At worst the plan and `P` lie side by side: the footprint is at most the plan's height and the footprint of `P` for
/// the requests that are not the plan's. That is measured and tested, not proven: a hole may reach across the height.
///
/// Cost: O(1) for a request of the plan and for a free while it is followed: `P` maintains no index of holes then.
/// O(blocks) when the plan ends, and for each other change meanwhile: imports, moves, reservations, refused requests.
/// Copies have 8 bytes for each block of the plan.
template <class P>
class scheduled : public P {
    static_assert(check_placement<P>());
    static_assert(
        requires(P p) { p.rebuild_index(); },
        "scheduled<P> needs a placement whose index of holes can be rebuilt: one made of hbm::fit");
    static_assert(!heeds_lifetimes<P>, "scheduled<P> needs a placement that does not learn from each block");

public:
    using typename P::quanta;

    static constexpr auto name = fixed_string{"scheduled<"} + P::name + fixed_string{">"};

    using P::P;

    /// Begins a plan, where `P` would place a block of its height. Replaces the present plan. A plan without blocks
    /// ends at once.
    /// Fails: returns false, and follows no plan, if there is no hole of the plan's height.
    /// Cost: O(blocks), and O(blocks of the plan).
    constexpr bool follow(const schedule& plan) {
        end_plan();
        if (plan.height > P::map().capacity() || plan.alignment > P::map().capacity()) return false;
        if (plan.height == 0) return true;
        P trial = *this;
        const block_index whole =
            trial.place({.length = static_cast<quanta>(plan.height), .alignment = static_cast<quanta>(plan.alignment)});
        if (whole == no_block) return false;
        base_ = trial.map().offset(whole);
        block_index under = trial.map().node(whole).previous;
        while (trial.map().is_hole(under)) under = trial.map().node(under).previous;
        plan_ = plan;
        places_.resize(plan.blocks.size() + 1);
        places_.back() = {under, P::map().generation(under)};
        return true;
    }
    /// Returns true until a request is not the plan's.
    [[nodiscard]] constexpr bool is_following() const noexcept { return !places_.empty(); }
    /// Returns the number of requests that were placed as planned since `follow`.
    [[nodiscard]] constexpr std::size_t followed() const noexcept { return next_; }

    constexpr block_index place(const need<quanta>& n) {
        // A request that is the plan's, in a place that is free, costs no search. The first that is not makes the index
        // of holes and asks `P`; only if that places it, the plan is over: a refused request changes nothing.
        if (!is_following()) return P::place(n);
        if (const block_index block = place_as_planned(n); block != no_block) [[likely]]
            return block;
        const block_index block = indexed().place(n);
        if (block != no_block) forget_plan();
        return block;
    }

    constexpr void release(block_index block) {
        if (!is_following()) return P::release(block);
        // No index is kept meanwhile, so a freed block merges with its neighbours in the map alone. The far hole
        // absorbs only what touches its open end: its other end is an end of memory, or the reservation.
        block_map<quanta>& map = P::map();
        map.end_life(block);
        if (const block_index upper = map.node(block).next; map.is_hole(upper) && upper != map.far_hole)
            map.absorb_next(block);
        if (const block_index lower = map.node(block).previous; map.is_hole(lower) && lower != map.far_hole) {
            map.absorb_next(lower);
            block = lower;
        }
        if ((from_low ? map.node(block).next : map.node(block).previous) == map.far_hole)
            map.template return_to_far_hole<P::search_end>(block);
    }

    constexpr block_index occupy(basic_extent<quanta> range) { return indexed().occupy(range); }
    constexpr block_index occupy(basic_extent<quanta> range, quanta granted, quanta alignment) {
        return indexed().occupy(range, granted, alignment);
    }
    constexpr bool relocate(block_index block, quanta to) { return indexed().relocate(block, to); }
    constexpr bool stretch(block_index block, basic_extent<quanta> range) { return indexed().stretch(block, range); }
    constexpr void shrink(block_index block, quanta granted) { indexed().shrink(block, granted); }
    constexpr bool extend(std::uint64_t capacity) { return indexed().extend(capacity); }
    constexpr void reserve_metadata(std::size_t blocks) { indexed().reserve_metadata(blocks); }
    constexpr void set_reservation(block_index block) requires spares_reservable<P> {
        indexed().set_reservation(block);
    }
    constexpr bool reserve(quanta size) requires reserves<P> { return indexed().reserve(size); }

    [[nodiscard]] constexpr bool has_hole_for(quanta length) const {
        return is_following() ? largest_free() >= length : P::has_hole_for(length);
    }
    /// Returns the largest number: planned blocks may lie anywhere in a hole.
    [[nodiscard]] static constexpr std::uint64_t most_taken(const need<quanta>& /*n*/) noexcept {
        return ~std::uint64_t{0};
    }
    [[nodiscard]] constexpr quanta largest_free() const {
        if (!is_following()) return P::largest_free();
        const block_map<quanta>& map = P::map();
        quanta largest = 0;
        for (block_index block = map.first(); block != no_block; block = map.next(block))
            if (map.is_hole(block) && map.size(block) > largest) largest = map.size(block);
        return largest;
    }

    friend constexpr bool operator==(const scheduled&, const scheduled&) = default;

private:
    static constexpr bool from_low = P::search_end == end::low;
    /// The most nodes that a search for a planned place visits, so that it is O(1).
    static constexpr int max_steps = 16;

    /// A block of the plan that was placed; stale if it was freed.
    struct placed {
        block_index block = no_block;
        std::uint32_t generation = 0;

        friend constexpr bool operator==(const placed&, const placed&) = default;
    };

    /// Returns `P` with an index that is up to date.
    [[gnu::cold, gnu::noinline]] constexpr P& indexed() {
        if (is_following()) P::rebuild_index();
        return *this;
    }
    constexpr void forget_plan() noexcept {
        plan_ = {};
        places_.clear();
    }
    constexpr void end_plan() {
        static_cast<void>(indexed());
        forget_plan();
        next_ = 0;
    }

    [[nodiscard]] constexpr block_index place_as_planned(const need<quanta>& n) {
        if (next_ == plan_.blocks.size() || plan_.blocks[next_].length != n.length) return no_block;
        const basic_extent<quanta> place{static_cast<quanta>(base_ + plan_.blocks[next_].offset), n.length};
        if ((place.offset & (n.alignment - 1)) != 0) return no_block;
        const block_index hole = hole_around(place);
        if (hole == no_block || P::map().offset(hole) < n.avoid_below) return no_block;
        const block_index block = take(hole, place);
        P::map().begin_life(block, n.length, n.length, n.alignment);
        places_[next_++] = {block, P::map().generation(block)};
        return block;
    }
    /// Returns the hole that contains `place`, which is near the block below the next request, or `no_block`.
    [[nodiscard]] constexpr block_index hole_around(basic_extent<quanta> place) const noexcept {
        // Blocks know their neighbours, offsets alone do not say where in the ring to look. The plan names the block
        // right below each request. If that one is gone, the one that lay below it when it was placed is as near; after
        // that a few steps upwards find the hole. If not, memory is not as planned, and looking further would not be
        // O(1).
        const block_map<quanta>& map = P::map();
        block_index at = map.bottom;
        std::uint32_t below = plan_.blocks[next_].below;
        for (int steps = 0; steps < max_steps && at == map.bottom; ++steps) {
            const placed& entry = below == scheduled_block::none ? places_.back() : places_[below];
            if (map.is_live(entry.block, entry.generation)) at = entry.block;
            if (below == scheduled_block::none) break;
            below = plan_.blocks[below].below;
        }
        for (int steps = 0; steps < max_steps; ++steps) {
            at = map.node(at).next;
            if (at == map.bottom || map.offset(at) > place.offset) return no_block;
            if (map.end(at) >= place.end()) return map.is_hole(at) ? at : no_block;
        }
        return no_block;
    }
    /// Cuts `place` out of a hole around it.
    [[nodiscard]] constexpr block_index take(block_index hole, basic_extent<quanta> place) {
        // The place may lie in the middle of a hole. From the far hole everything up to the far end of the place is
        // taken first; then the rest above and the rest below are split off, as ordinary holes.
        block_map<quanta>& map = P::map();
        basic_extent<quanta> rest = map.range(hole);
        block_index block = hole;
        if (hole == map.far_hole) {
            ensure_node();
            rest = from_low ? basic_extent<quanta>{rest.offset, static_cast<quanta>(place.end() - rest.offset)}
                            : basic_extent<quanta>{place.offset, static_cast<quanta>(rest.end() - place.offset)};
            block = map.template take_from_far_hole<P::search_end>(rest.size);
        }
        if (place.end() != rest.end()) {
            ensure_node();
            const auto kept = static_cast<quanta>(place.end() - rest.offset);
            static_cast<void>(map.template split<end::low>(block, rest, kept));
            rest.size = kept;
        }
        if (place.offset != rest.offset) {
            ensure_node();
            static_cast<void>(map.template split<end::high>(block, rest, place.size));
        }
        return block;
    }
    constexpr void ensure_node() {
        if (!P::map().has_spare_node()) [[unlikely]]
            P::map().recycle(P::map().new_node());
    }

    schedule plan_;
    trivial_vector<placed> places_;  // of the plan's blocks, and the block below the plan; empty if none is followed
    std::size_t next_ = 0;           // request of the plan
    quanta base_ = 0;                // bottom of the plan
};

template <placement P>
struct from_the_top<scheduled<P>> {
    using type = scheduled<from_the_top_t<P>>;
};

}  // namespace hbm::inline v0
