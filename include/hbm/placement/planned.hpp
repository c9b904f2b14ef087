#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/placement/placement.hpp>
#include <hbm/placement/plan_follower.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace hbm {

/// Places by a plan while reality follows it. A block that the plan knows goes where it says, if it is free there;
/// every other request goes to `P`, in what is free, so that no request fails that `P` would place in the same state.
/// Where reality departs, `plan_follower` looks for the place in the plan where it goes on. What `P` placed may lie
/// where the plan wants to go: while that is more than a tenth of the plan's height, a step that begins is left to `P`,
/// and so is the rest of a step that departed. Without a plan (`follow`) it does what `P` does.
///
/// Offsets of the plan count from the end of memory that blocks come from: from the bottom, or from the top under
/// `bottom_reserve`. A memory without a limit has no top: there the plan is followed from the bottom only.
///
/// The plan belongs to someone else and must outlive the placement and its copies. On top of `P`: 16 bytes a block,
/// and 8 an event of the plan. A block costs O(1) on average while the plan is followed: it is looked for next to the
/// one that lay beneath it when the plan was made. Two are equal if they follow the same plan and know the same of it.
template <class P>
class planned : public P {
    static_assert(check_placement<P>());
    static_assert(imports<P>, "planned<P> needs a placement that takes a given range: block_index occupy(range)");

public:
    using typename P::quanta;

    static constexpr auto name = fixed_string{"planned<"} + P::name + fixed_string{">"};

    constexpr planned() = default;
    constexpr explicit planned(quanta capacity) : P(capacity) {}
    /// Follows a plan from the first request on.
    constexpr planned(quanta capacity, const plan_view& plan) : P(capacity) { follow(plan); }
    planned(quanta capacity, const sequence_plan&& plan) = delete;  // the plan must outlive the placement
    /// The blocks of another placement where they are, and no plan yet. O(blocks).
    template <class Other>
    requires(takes_blocks_of<planned, P, Other>) constexpr explicit planned(const Other& other) : P(other) {}

    /// Follows this plan from now on, and before its first event; what is live was placed without. O(events).
    constexpr void follow(const plan_view& plan) {
        follower_ = plan_follower(plan);
        block_of_.assign(plan.event_count, nothing_known);
        lower_of_.assign(plan.event_count, no_event);
        for (std::uint32_t event = 0; event < plan.event_count; ++event) lower_of_[event] = plan.events[event].lower;
        for (life& each : lives_) each.event = no_event;
    }
    void follow(const sequence_plan&& plan) = delete;  // the plan must outlive the placement
    /// The plan that is followed; one without events if there is none.
    [[nodiscard]] constexpr const plan_view& plan() const noexcept { return follower_.plan(); }
    /// How many blocks went where the plan said.
    [[nodiscard]] constexpr std::uint64_t followed() const noexcept { return followed_; }

    /// O(1) on average where the plan is followed; else the cost of a placement of `P`, and O(log steps).
    constexpr block_index place(const need<quanta>& n) {
        const plan_event* const next = follower_.upcoming();
        if (next == nullptr || !next->asks_for(n.length)) return place_unexpected(n);
        return follower_.follows(*next) ? place_next(n, *next) : place_astray(n, *next);
    }

    /// Cost of a release of `P`.
    constexpr void release(block_index block) {
        if (!pass_free(block)) [[unlikely]]
            end_life(block);
        P::release(block);
    }

    /// Room for `blocks` live blocks without asking the host again.
    constexpr void reserve_metadata(std::size_t blocks) requires reserves_metadata<P> {
        P::reserve_metadata(blocks);
        lives_.reserve(P::map().reserved_nodes());
    }

    friend constexpr bool operator==(const planned&, const planned&) = default;

private:
    /// The state of a block: its event, and the number of the step in which it began. Blocks that `P` placed count.
    struct life {
        std::uint32_t event = no_event;
        std::uint32_t number = 0;
        std::uint32_t place = no_event;  // of the event in its step
        std::uint32_t size = 0;          // what was asked for; a block may be cut later

        friend constexpr bool operator==(const life&, const life&) = default;
    };
    /// The `life::number` of a block that lies where no plan put it, and of a block that this placement did not place.
    static constexpr std::uint32_t astray_bit = std::uint32_t{1} << 31;
    static constexpr int most_hops = 8;
    /// Marks a block beside which the next block of an event may lie; blocks have even numbers.
    static constexpr block_index hint_bit = 1;
    static constexpr block_index nothing_known = block_map<quanta>::bottom | hint_bit;
    [[nodiscard]] static constexpr bool is_hint(block_index block) noexcept { return (block & hint_bit) != 0; }
    /// What came of placing a block.
    struct attempt {
        block_index block = no_block;
        bool as_planned = false;
        block_index seen = no_block;  // the block or hole where it was to go
    };
    /// A given range can be looked for from any block on.
    static constexpr bool finds_places = P::merges_neighbours && requires(P blocks, basic_extent<quanta> range) {
        blocks.occupy_near(range, range.size, range.size, no_block);
    };
    /// A range of a known hole is taken without a search.
    static constexpr bool takes_at_once = requires(P blocks, block_index hole, basic_extent<quanta> range) {
        { blocks.occupy_in(hole, range) } -> std::same_as<block_index>;
    };

    [[nodiscard]] constexpr bool is_disturbed() const noexcept { return astray_ > plan().height / 10; }

    /// The quick way for the request that the plan has next: beside the block that lay beneath it when the plan was
    /// made, or when it came last. `no_block`, and nothing is done, if its place is not there. O(1), and the cost of
    /// cutting it out of a hole.
    [[gnu::always_inline]] constexpr block_index place_at_once(const need<quanta>& n, const plan_event& next) {
        if constexpr (takes_at_once) {
            constexpr end from = P::search_end;
            if (n.alignment != 1 || n.avoid_below != 0 || (n.from != from && !reserves<P>)) return no_block;
            const quanta capacity = P::map().capacity();
            if (from == end::high && capacity == P::unlimited) return no_block;
            const std::uint32_t event = follower_.upcoming_event();
            block_index lower = lower_of_[event] == no_event ? P::map().bottom : block_of_[lower_of_[event]];
            if (is_hint(lower)) lower = block_of_[event] & ~hint_bit;
            if (P::map().is_hole(lower)) return no_block;
            const auto at = static_cast<quanta>(from == end::low ? next.offset : capacity - next.offset - n.length);
            const auto& beside = P::map().node(lower);
            return P::occupy_in(from == end::low ? beside.next : beside.previous, {at, n.length});
        } else {
            return no_block;
        }
    }
    /// Notes that a block goes, if the plan has its free next; else false, and nothing is done. O(1).
    [[gnu::always_inline]] constexpr bool pass_free(block_index block) noexcept {
        const plan_event* const next = follower_.upcoming();
        const std::uint32_t index = P::map().number_of(block);
        if (next == nullptr || index >= lives_.size()) return false;
        life& ended = lives_[index];
        const bool is_of_this_step = ((ended.number ^ follower_.number()) & ~astray_bit) == 0;
        if (next->what != (ended.size | plan_event::free_bit) || ended.event == no_event ||
            next->partner != (is_of_this_step ? ended.event : no_event))
            return false;
        leave(block, ended);
        ended = {};
        follower_.pass();
        return true;
    }

    /// Places the request that the plan has next.
    [[gnu::noinline]] constexpr block_index place_next(const need<quanta>& n, const plan_event& next) {
        const block_index block = place_at_once(n, next);
        if (block == no_block) [[unlikely]]
            return place_after_search(n, next);
        begin_life_of(next, {block, true});
        return block;
    }
    [[gnu::noinline]] constexpr block_index place_after_search(const need<quanta>& n, const plan_event& next) {
        const std::uint32_t event = follower_.upcoming_event();
        const attempt made = place_as_planned(n, event);
        if (made.block == no_block) return no_block;
        begin_life_of(next, made);
        if (made.as_planned) note_lower(made.block, event);
        return made.block;
    }
    /// Where the next block of an event is looked for first: beside that of the event whose block lies beneath this
    /// one.
    constexpr void note_lower(block_index block, std::uint32_t event) noexcept {
        const block_index lower = first_beneath(block);
        const std::uint32_t index = P::map().number_of(lower);
        const std::uint32_t other = index < lives_.size() ? lives_[index].event : no_event;
        if (lower == P::map().bottom) lower_of_[event] = no_event;
        if (other != no_event && block_of_[other] == lower) lower_of_[event] = other;
    }
    /// Places it as if there were no plan, and goes on in the plan.
    [[gnu::noinline]] constexpr block_index place_astray(const need<quanta>& n, const plan_event& next) {
        const block_index block = P::place(n);
        if (block != no_block) begin_life_of(next, {block, false});
        return block;
    }
    [[gnu::noinline]] constexpr block_index place_unexpected(const need<quanta>& n) {
        if (plan().event_count == 0) return P::place(n);
        const std::uint32_t size = plan_event::limited(n.length);
        const plan_follower::forecast expected = follower_.expect(size, is_disturbed());
        attempt made;
        if (expected.follows)
            made = place_as_planned(n, expected.event);
        else
            made.block = P::place(n);
        if (made.block == no_block) return no_block;
        follower_.placed(expected, size);
        begin_life({expected.event, expected.number, follower_.place_in_step(expected), size}, made);
        return made.block;
    }
    /// Places the block of an event where the plan says, if that is free, else where `P` does.
    [[gnu::noinline]] constexpr attempt place_as_planned(const need<quanta>& n, std::uint32_t event) {
        const plan_event& known = plan().events[event];
        attempt made = place_at(n, known.offset, event);
        for (std::uint32_t place = known.stays() ? known.partner : no_event; place != no_event && !made.as_planned;
             place = plan().places[place].next)
            made = place_at(n, plan().places[place].offset, event);
        if (!made.as_planned) made.block = P::place(n);
        return made;
    }
    /// Places the block of an event at an offset of the plan, if it is free there.
    constexpr attempt place_at(const need<quanta>& n, std::uint32_t offset, std::uint32_t event) {
        attempt made;
        const quanta capacity = P::map().capacity();
        const bool from_top = comes_from_top<P>(n);
        if (n.length == 0 || n.length > capacity || offset > capacity - n.length) return made;
        if (from_top && capacity == P::unlimited) return made;
        const auto at = static_cast<quanta>(from_top ? capacity - offset - n.length : offset);
        if ((at & (n.alignment - 1)) != 0 || at < n.avoid_below) return made;
        const basic_extent<quanta> range{at, n.length};
        if constexpr (finds_places) {
            made.seen = P::block_at(at, near(at, event));
            if (made.seen == no_block || !P::map().is_hole(made.seen)) return made;
            made.block = occupy_in(made.seen, range, n.alignment);
        } else if (n.alignment == 1) {
            made.block = P::occupy(range);
        }
        made.as_planned = made.block != no_block;
        return made;
    }
    constexpr block_index occupy_in(block_index hole, basic_extent<quanta> range, quanta alignment) {
        if constexpr (takes_at_once)
            if (alignment == 1) return P::occupy_in(hole, range);
        return P::occupy_near(range, range.size, alignment, hole);
    }
    /// A block from which it is not far to where the block of an event goes: of those that lay below when the plan was
    /// made the first that is there, what lay beneath it or those that are not there, and an end of memory, the
    /// nearest.
    [[nodiscard]] constexpr block_index near(quanta at, std::uint32_t event) const noexcept {
        block_index nearest = at < P::map().capacity() / 2 ? P::map().first() : P::map().last();
        quanta least = distance(at, nearest);
        for (int hops = 0; event != no_event && hops < most_hops; ++hops, event = lower_of_[event]) {
            const block_index each = block_of_[event] & ~hint_bit;
            if (each == P::map().bottom || P::map().is_hole(each)) continue;
            if (const quanta away = distance(at, each); away < least) {
                nearest = each;
                least = away;
            }
            if (hops != 0 && each == block_of_[event]) break;
        }
        return nearest;
    }
    [[nodiscard]] constexpr quanta distance(quanta at, block_index block) const noexcept {
        const quanta offset = P::map().offset(block);
        return at < offset ? static_cast<quanta>(offset - at) : static_cast<quanta>(at - offset);
    }

    /// The request that the plan has next was placed.
    [[gnu::always_inline]] constexpr void begin_life_of(const plan_event& next, const attempt& made) {
        const std::uint32_t event = follower_.upcoming_event();
        begin_life({event, follower_.number(), follower_.place_in_step(event), next.size()}, made);
        follower_.pass();
    }
    [[gnu::always_inline]] constexpr void begin_life(life begun, const attempt& made) {
        begun.number = (begun.number & ~astray_bit) | (made.as_planned ? 0 : astray_bit);
        const std::uint32_t index = P::map().number_of(made.block);
        if (index >= lives_.size()) [[unlikely]]
            lives_.resize(P::map().nodes(), life{});
        lives_[index] = begun;
        if (made.as_planned) {
            block_of_[begun.event] = made.block;
            ++followed_;
            return;
        }
        astray_ += begun.size;
        if (made.seen != no_block && is_hint(block_of_[begun.event])) block_of_[begun.event] = made.seen | hint_bit;
    }
    [[gnu::noinline]] constexpr void end_life(block_index block) {
        if (plan().event_count == 0) return;
        const std::uint32_t index = P::map().number_of(block);
        life ended = index < lives_.size() ? lives_[index] : life{};
        if (index < lives_.size()) lives_[index] = {};
        if (ended.size == 0) ended.size = plan_event::limited(P::map().granted(block));
        const bool is_of_this_step = ended.event != no_event && !plan().events[ended.event].stays() &&
                                     ((ended.number ^ follower_.number()) & ~astray_bit) == 0;
        leave(block, ended);
        follower_.freed(ended.size, is_of_this_step ? ended.place : no_event, is_disturbed());
    }
    /// A block goes; what lies beneath it is where to look the next time.
    [[gnu::always_inline]] constexpr void leave(block_index block, const life& ended) noexcept {
        if ((ended.number & astray_bit) != 0) astray_ -= ended.size;
        if (ended.event == no_event || block_of_[ended.event] != block) return;
        block_of_[ended.event] = first_beneath(block) | hint_bit;
    }
    /// The block beneath another, holes left out.
    [[nodiscard, gnu::always_inline]] constexpr block_index first_beneath(block_index block) const noexcept {
        const block_index lower = beneath(block);
        return P::map().is_hole(lower) ? beneath(lower) : lower;
    }
    /// The block or hole beside another, at the end from which the plan counts.
    [[nodiscard]] constexpr block_index beneath(block_index block) const noexcept {
        if constexpr (takes_at_once)
            if (P::search_end == end::high) return P::map().node(block).next;
        return P::map().node(block).previous;
    }

    plan_follower follower_;
    trivial_vector<block_index> block_of_;    // by event: the block that it placed, while that lives; else a hint
    trivial_vector<std::uint32_t> lower_of_;  // by event: another, whose block lay beneath its block the last time
    trivial_vector<life> lives_;              // by block
    std::uint64_t astray_ = 0;                // quanta of blocks that lie where no plan put them
    std::uint64_t followed_ = 0;
};

template <placement P>
struct from_the_top<planned<P>> {
    using type = planned<from_the_top_t<P>>;
};

}  // namespace hbm
