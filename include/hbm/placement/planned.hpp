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
/// and 4 an event of the plan. A block costs O(1) on average while the plan is followed: it is looked for next to the
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
    planned(quanta capacity, sequence_plan&& plan) = delete;  // the plan must outlive the placement

    /// Follows this plan from now on, and before its first event; what is live was placed without. O(events).
    constexpr void follow(const plan_view& plan) {
        follower_ = plan_follower(plan);
        block_of_.assign(plan.event_count, no_block);
        for (life& each : lives_) each.event = no_event;
    }
    void follow(sequence_plan&& plan) = delete;  // the plan must outlive the placement
    /// The plan that is followed; one without events if there is none.
    [[nodiscard]] constexpr const plan_view& plan() const noexcept { return follower_.plan(); }
    /// How many blocks went where the plan said.
    [[nodiscard]] constexpr std::uint64_t followed() const noexcept { return followed_; }

    /// O(1) on average where the plan is followed; else the cost of a placement of `P`, and O(log steps).
    constexpr block_index place(const need<quanta>& n) {
        if (const plan_event* const next = follower_.upcoming(); next != nullptr && next->asks_for(n.length)) {
            const block_index block = place_at_once(n, *next);
            if (block != no_block) [[likely]]
                return block;
        }
        return plan().event_count == 0 ? P::place(n) : place_with_care(n);
    }

    /// Cost of a release of `P`.
    constexpr void release(block_index block) {
        if (!pass_free(block) && plan().event_count != 0) end_life(block);
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
    /// A range beside a known block is taken without a search.
    static constexpr bool takes_beside = requires(P blocks, block_index beside, basic_extent<quanta> range) {
        { blocks.occupy_beside(beside, range) } -> std::same_as<block_index>;
    };

    [[nodiscard]] static constexpr std::uint32_t limited(quanta size) noexcept {
        return size <= plan_event::most ? static_cast<std::uint32_t>(size) : plan_event::most;
    }
    [[nodiscard]] constexpr bool is_disturbed() const noexcept { return astray_ > plan().height / 10; }

    /// Places the request that the plan has next, if it goes beside the block that lay beneath it when the plan was made;
    /// else `no_block`, and nothing is done. O(1) and the cost of taking it out of a hole.
    [[gnu::always_inline]] constexpr block_index place_at_once(const need<quanta>& n, const plan_event& next) {
        if constexpr (takes_beside) {
            constexpr end from = P::search_end;
            const bool is_plain = n.alignment == 1 && n.avoid_below == 0 && n.from == from;
            if (!is_plain || follower_.is_broken()) return no_block;
            const block_index lower = next.lower == no_event ? P::map().bottom : block_of_[next.lower];
            if (lower == no_block) return no_block;
            const auto at =
                static_cast<quanta>(from == end::low ? next.offset : P::map().capacity() - next.offset - n.length);
            const block_index block = P::occupy_beside(lower, {at, n.length});
            if (block == no_block) return no_block;
            const std::uint32_t event = follower_.upcoming_event();
            life_of(block) = {event, follower_.number() & ~astray_bit, follower_.place_in_step(event), next.size()};
            block_of_[event] = block;
            ++followed_;
            follower_.pass();
            return block;
        } else {
            return no_block;
        }
    }
    /// Notes that a block goes where the free of it is what the plan has next; else false, and nothing is done. O(1).
    [[gnu::always_inline]] constexpr bool pass_free(block_index block) noexcept {
        const plan_event* const next = follower_.upcoming();
        const std::uint32_t index = P::map().number_of(block);
        if (next == nullptr || index >= lives_.size()) return false;
        life& ended = lives_[index];
        const bool is_of_this_step = ended.number == follower_.number();
        if (next->what != (ended.size | plan_event::free_bit) || (ended.number & astray_bit) != 0 ||
            ended.event == no_event || next->partner != (is_of_this_step ? ended.event : no_event))
            return false;
        if (block_of_[ended.event] == block) block_of_[ended.event] = no_block;
        ended = {};
        follower_.pass();
        return true;
    }

    constexpr block_index place_with_care(const need<quanta>& n) {
        const std::uint32_t size = limited(n.length);
        const plan_follower::forecast expected = follower_.expect(size, is_disturbed());
        block_index block = expected.follows ? place_as_planned(n, expected.event) : no_block;
        const bool as_planned = block != no_block;
        if (!as_planned) block = P::place(n);
        if (block == no_block) return block;
        follower_.placed(expected, size);
        begin_life(block, expected, size, as_planned);
        return block;
    }
    constexpr block_index place_as_planned(const need<quanta>& n, std::uint32_t event) {
        const plan_event& known = plan().events[event];
        block_index block = place_at(n, known.offset, known.lower);
        if (block != no_block || !known.stays()) return block;
        for (std::uint32_t place = known.partner; place != no_event && block == no_block;
             place = plan().places[place].next)
            block = place_at(n, plan().places[place].offset, known.lower);
        return block;
    }
    /// Places a block at an offset of the plan, if it is free there.
    constexpr block_index place_at(const need<quanta>& n, std::uint32_t offset, std::uint32_t lower) {
        const quanta capacity = P::map().capacity();
        const bool from_top = n.from == end::high || reserves<P>;
        if (n.length > capacity || offset > capacity - n.length) return no_block;
        if (from_top && capacity == P::unlimited) return no_block;
        const auto at = static_cast<quanta>(from_top ? capacity - offset - n.length : offset);
        if ((at & (n.alignment - 1)) != 0 || at < n.avoid_below) return no_block;
        const basic_extent<quanta> range{at, n.length};
        if constexpr (requires { P::occupy_near(range, n.length, n.alignment, no_block); }) {
            if constexpr (P::merges_neighbours) return P::occupy_near(range, n.length, n.alignment, near(at, lower));
        }
        return n.alignment == 1 ? P::occupy(range) : no_block;
    }
    /// A block from which it is not far to an offset: of those that lay below when the plan was made the nearest that
    /// is there, else an end of memory.
    [[nodiscard]] constexpr block_index near(quanta at, std::uint32_t lower) const noexcept {
        for (int hops = 0; lower != no_event && hops < most_hops; ++hops, lower = plan().events[lower].lower)
            if (block_of_[lower] != no_block) return block_of_[lower];
        return at < P::map().capacity() / 2 ? P::map().first() : P::map().last();
    }

    [[nodiscard]] constexpr life& life_of(block_index block) {
        const std::uint32_t index = P::map().number_of(block);
        if (index >= lives_.size()) [[unlikely]]
            lives_.resize(P::map().nodes(), life{});
        return lives_[index];
    }
    constexpr void begin_life(block_index block, const plan_follower::forecast& expected, std::uint32_t size,
                              bool as_planned) {
        life_of(block) = {expected.event, (expected.number & ~astray_bit) | (as_planned ? 0 : astray_bit),
                         follower_.place_in_step(expected), size};
        if (as_planned) {
            block_of_[expected.event] = block;
            ++followed_;
        } else {
            astray_ += size;
        }
    }
    constexpr void end_life(block_index block) {
        const std::uint32_t index = P::map().number_of(block);
        life ended = index < lives_.size() ? lives_[index] : life{};
        if (index < lives_.size()) lives_[index] = {};
        if (ended.size == 0) ended.size = limited(P::map().granted(block));
        if ((ended.number & astray_bit) != 0) astray_ -= ended.size;
        const bool is_of_this_step = ended.event != no_event && !plan().events[ended.event].stays() &&
                                     (ended.number & ~astray_bit) == (follower_.number() & ~astray_bit);
        if (ended.event != no_event && block_of_[ended.event] == block) block_of_[ended.event] = no_block;
        follower_.freed(ended.size, is_of_this_step ? ended.place : no_event, is_disturbed());
    }

    plan_follower follower_;
    trivial_vector<block_index> block_of_;  // by event: the block that it placed, while that lives
    trivial_vector<life> lives_;            // by block
    std::uint64_t astray_ = 0;              // quanta of blocks that lie where no plan put them
    std::uint64_t followed_ = 0;
};

template <placement P>
struct from_the_top<planned<P>> {
    using type = planned<from_the_top_t<P>>;
};

}  // namespace hbm
