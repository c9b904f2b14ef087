#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/learned_past.hpp>
#include <hbm/pack/learned_step.hpp>
#include <hbm/placement/placement.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// Places as `P` does, watches, and plans what comes again. It keeps the last requests and frees. Where the last 64
/// events have been there before, with the sizes of the latest, it expects that what came then comes now, up to where
/// it is again as far as now: a step. It tries on a copy what `P` would do. Only where a request would fail, or, in a
/// memory without limit, reach higher than memory was ever used, it packs the step around the blocks that are live. If
/// the packing does neither, requests go where it says while they are as expected, if it is free there. All others go
/// where `P` puts them, so that no request fails that `P` would place in the same state.
///
/// Forgetting: of more than 65,536 events the older half is forgotten. A plan ends where the program departs from it,
/// and the next then waits for twice as many events as expected, 8 at first and 1,024 at most; a plan that came to its
/// end halves that. The program is looked for in the past anew, and after 8 to 64 events again while it is not found. A
/// plan is made at most once for each step, and once for 64 events where a request is about to raise the footprint.
///
/// On the host: at most 2.1 MiB for the past, which copies share, and twice that while half of it is forgotten; 4 bytes
/// a block; and 4 (of 64 bits: 8) for each event of the step that is planned, 16,384 at most. A block costs O(1) on
/// average besides the planning; what is placed by a plan O(blocks from the nearer end of memory). A plan for a step of
/// n events among m live blocks takes a copy of `P`, n operations of it and O((n + m)^2) at worst, a few milliseconds
/// for thousands. It asks the host for memory as it learns. Two are equal if they have the same blocks and know the
/// same. Under `bottom_reserve` heights count from the top; in a memory without limit nothing is planned there.
template <class P>
class learning : public P {
    static_assert(check_placement<P>());
    static_assert(imports<P>, "learning<P> needs a placement that takes a given range: block_index occupy(range)");

public:
    using typename P::quanta;

    static constexpr auto name = fixed_string{"learning<"} + P::name + fixed_string{">"};

    constexpr learning() = default;
    constexpr explicit learning(quanta capacity) : P(capacity) {}
    /// The blocks of another placement where they are, and nothing known of them yet. O(blocks).
    template <class Other>
    requires(takes_blocks_of<learning, P, Other>) constexpr explicit learning(const Other& other) : P(other) {}

    /// How many blocks went where a plan said, and how many plans were made.
    [[nodiscard]] constexpr std::uint64_t followed() const noexcept { return followed_; }
    [[nodiscard]] constexpr std::uint64_t plans() const noexcept { return plans_; }
    /// What it takes on the host besides `P`. O(1).
    [[nodiscard]] constexpr std::size_t learned_bytes() const noexcept {
        return past_.bytes() + request_of_.capacity() * sizeof(std::uint32_t) + heights_.capacity() * sizeof(quanta);
    }

    /// O(1) on average and the cost of a placement of `P`, or of a plan: see above. `no_block`, with nothing learned,
    /// if `P` has no room.
    constexpr block_index place(const need<quanta>& n) {
        const std::uint32_t size = plan_event::limited(n.length);
        const std::uint32_t expected = expected_request(size);
        block_index block = place_as_planned(n, expected);
        if (block == no_block) {
            block = P::place(n);
            if (block != no_block && is_late(block, expected)) {
                P::release(block);
                plan();
                block = place_as_planned(n, expected);
                if (block == no_block) block = P::place(n);
            }
        }
        if (block == no_block) return block;
        if (!begun_) begin(n);
        if (height_of(block) > highest_) highest_ = height_of(block);
        make_room();
        const std::uint32_t at = past_.ask(size, like_ == no_event ? no_event : expected_request(size), live());
        const std::uint32_t number = P::map().number_of(block);
        if (number >= request_of_.size()) request_of_.resize(P::map().nodes(), no_event);
        request_of_[number] = at;
        arrive(past_[at].like);
        return block;
    }

    /// O(1) on average and the cost of a release of `P`, or of a plan: see above.
    constexpr void release(block_index block) {
        make_room();
        const std::uint32_t number = P::map().number_of(block);
        const std::uint32_t request = number < request_of_.size() ? request_of_[number] : no_event;
        if (number < request_of_.size()) request_of_[number] = no_event;
        const std::uint32_t size =
            request != no_event ? past_[request].size : plan_event::limited(P::map().granted(block));
        P::release(block);
        const std::uint32_t expected = expected_free(request, size);
        past_.free(request, size, expected, live());
        arrive(expected);
    }

    /// It asks the host for memory as it learns.
    void reserve_metadata(std::size_t blocks) = delete;

    friend constexpr bool operator==(const learning&, const learning&) = default;

private:
    static constexpr std::uint32_t look_ahead = 4;
    static constexpr std::uint32_t most_missed = 8;
    static constexpr std::uint32_t furthest_jump = 4096;
    static constexpr std::uint32_t shortest_step = 100;
    static constexpr std::uint32_t longest_step = 16384;
    static constexpr std::uint32_t most_compared = 1024;  ///< events back, to find the best of the places in the past
    static constexpr std::uint32_t most_tried = 16;       ///< places in the past
    static constexpr std::uint32_t settled = 8;           ///< events as expected before a plan is made
    static constexpr std::uint32_t longest_settled = 1024;
    static constexpr std::uint32_t longest_pause = 64;

    [[nodiscard]] constexpr std::uint32_t live() const noexcept { return static_cast<std::uint32_t>(P::map().live()); }
    /// The end of a block, counted from the end of memory that blocks come from.
    [[nodiscard]] constexpr quanta height_of(block_index block) const noexcept { return height_in(*this, block); }
    [[nodiscard]] constexpr quanta height_in(const P& memory, block_index block) const noexcept {
        return from_top_ ? static_cast<quanta>(memory.map().capacity() - memory.map().offset(block))
                         : memory.map().end(block);
    }
    /// The first request says from which end blocks come. Blocks of another placement may be there already. O(blocks).
    [[gnu::noinline]] constexpr void begin(const need<quanta>& n) noexcept {
        begun_ = true;
        from_top_ = comes_from_top<P>(n);
        for (block_index block = P::map().first(); block != no_block; block = P::map().next(block))
            if (!P::map().is_hole(block) && height_of(block) > highest_) highest_ = height_of(block);
    }
    /// The event of the past that a request is expected to be like, or `no_event`: the next, or one of a few after it.
    [[nodiscard]] constexpr std::uint32_t expected_request(std::uint32_t size) const noexcept {
        if (like_ == no_event) return no_event;
        for (std::uint32_t ahead = 1; ahead <= look_ahead + 1 && like_ + ahead < past_.count(); ++ahead) {
            const past_event& event = past_[like_ + ahead];
            if (event.is_request() && event.size == size) return like_ + ahead;
        }
        return no_event;
    }
    [[nodiscard]] constexpr std::uint32_t expected_free(std::uint32_t request, std::uint32_t size) const noexcept {
        if (like_ == no_event || request == no_event || like_ + 1 >= past_.count()) return no_event;
        const std::uint32_t like = past_[request].like;
        const past_event& next = past_[like_ + 1];
        if (!next.is_request() && next.size == size &&
            ((like != no_event && next.partner == like) || next.kind == past_.kind_of_free(request)))
            return like_ + 1;
        const std::uint32_t freed = like == no_event ? no_event : past_[like].partner;
        return freed != no_event && freed > like_ && freed - like_ < furthest_jump ? freed : no_event;
    }

    /// The last event was like an earlier one, or like none.
    constexpr void arrive(std::uint32_t expected) {
        if (like_ != no_event && expected == no_event && ++missed_ > most_missed) lose();
        if (expected != no_event) {
            missed_ = expected == like_ + 1 && past_[expected].hash == past_[past_.count() - 1].hash ? 0
                      : expected == like_ + 1                                                        ? missed_
                                                                                                     : missed_ + 1;
            like_ = expected;
            if (missed_ > most_missed) lose();
        }
        const std::uint32_t at = past_.count() - 1;
        const bool is_other_size = expected == no_event && like_ != no_event && past_[at].is_request() &&
                                   like_ + 1 < at && past_[like_ + 1].is_request();
        if ((like_ == no_event || is_other_size) && at >= find_at_) find();
        if (like_ == no_event) return;
        if (at == plan_at_)
            plan();
        else if (planned_until_ != no_event && like_ >= planned_until_)
            end_plan();
    }
    constexpr void lose() noexcept {
        if (!heights_.empty() && settled_ < longest_settled) settled_ *= 2;
        like_ = no_event;
        drop_plan();
    }
    /// A plan came to its end: the next is made at once.
    constexpr void end_plan() noexcept {
        if (!heights_.empty() && settled_ > settled) settled_ /= 2;
        plan_at_ = past_.count();
        planned_until_ = no_event;
    }
    constexpr void drop_plan() noexcept {
        heights_.clear();
        planned_until_ = plan_at_ = no_event;
    }

    /// Looks for the place in the past that is most like the present: the longest row of events of the same kinds, and
    /// of those the longest of the same sizes.
    constexpr void find() {
        const std::uint32_t at = past_.count() - 1;
        lose();
        std::uint32_t most_kinds = past_.context_events;
        std::uint32_t most_sizes = 0;
        std::uint32_t tried = 0;
        for (std::uint32_t other = past_[at].previous; other != no_event && tried < most_tried;
             other = past_[other].previous, ++tried) {
            if (past_[other].hash != past_[at].hash) continue;
            const std::uint32_t kinds = past_.same_kinds(other, at, most_compared);
            if (kinds < most_kinds) continue;
            const std::uint32_t sizes = past_.same_sizes(other, at, most_compared);
            if (sizes == 0 || (kinds == most_kinds && sizes <= most_sizes)) continue;
            like_ = other, most_kinds = kinds, most_sizes = sizes;
        }
        missed_ = 0;
        pause_ = like_ != no_event ? settled : pause_ < longest_pause ? 2 * pause_ : pause_;
        find_at_ = at + (like_ != no_event ? 1 : pause_);
        if (like_ == no_event) return;
        for (std::uint32_t back = 0; back < past_.context_events && back <= like_ && past_[at - back].like == no_event;
             ++back)
            past_.set_like(at - back, like_ - back);
        plan_at_ = at + settled_;
    }
    /// The event of the past in which it is again as far as now; at most `longest_step` later.
    [[nodiscard]] constexpr std::uint32_t end_of_step() const noexcept {
        const std::uint32_t at = past_.count() - 1;
        std::uint32_t end = at;
        std::uint32_t tried = 0;
        for (std::uint32_t other = past_[at].previous; other != no_event && tried < most_tried;
             other = past_[other].previous, ++tried)
            if (past_[other].hash == past_[at].hash && other > like_ + shortest_step) end = other;
        return end - like_ < longest_step ? end : like_ + longest_step;
    }

    /// Plans the step that begins now, if that pays.
    constexpr void plan() {
        drop_plan();
        const std::uint32_t end = end_of_step();
        if (end <= like_ + settled * 2 || (from_top_ && P::map().capacity() == P::unlimited)) return;
        planned_until_ = end;
        learned_step step(past_, like_, end);
        for (block_index block = P::map().first(); block != no_block; block = P::map().next(block)) {
            if (P::map().is_hole(block)) continue;
            const std::uint32_t number = P::map().number_of(block);
            const auto size = static_cast<std::uint64_t>(P::map().size(block));
            step.add_live(block, number < request_of_.size() ? request_of_[number] : no_event, height_of(block) - size,
                          size, P::map().granted(block));
        }
        if (top_without_plan(step) <= limit() || !step.is_like_then(highest_)) return;
        step.add_requests();
        const learned_step::layout found = step.pack(limit());
        ++plans_;
        if (found.heights.empty() || found.top > limit()) return;
        plan_begin_ = like_;
        for (const std::uint64_t height : found.heights) heights_.push_back(static_cast<quanta>(height));
    }
    /// How high a plan may reach: in a memory without limit as high as it was used, else to its end.
    [[nodiscard]] constexpr quanta limit() const noexcept {
        return P::map().capacity() == P::unlimited ? highest_ : P::map().capacity();
    }
    /// What a step would reach without a plan; the largest number if a request would fail, and 0 if so much would be
    /// live that no plan helps.
    [[nodiscard]] constexpr std::uint64_t top_without_plan(const learned_step& step) const {
        P trial = *this;
        std::uint64_t top = 0;
        trivial_vector<block_index> blocks(step.length() + std::size_t{1}, no_block);
        for (std::uint32_t at = 1; at <= step.length(); ++at) {
            if (step.event(at).is_request()) {
                blocks[at] = trial.place(need_for(static_cast<quanta>(step.event(at).size)));
                if (blocks[at] == no_block) return ~std::uint64_t{0};
                const quanta height = height_in(trial, blocks[at]);
                if (height > top) top = height;
                if (trial.map().live() > limit()) return 0;
                continue;
            }
            const std::uint32_t freed = step.freed_at(at);
            const block_index gone = freed != no_event ? freed : blocks[step.partner_of(at)];
            if (gone != no_block) trial.release(gone);
        }
        return top;
    }
    [[nodiscard]] constexpr need<quanta> need_for(quanta size) const noexcept {
        const end from = from_top_ ? end::high : end::low;
        return {.length = size, .from = from, .at = from};
    }
    /// Whether a block raises the footprint, so that a plan is made now.
    [[nodiscard]] constexpr bool is_late(block_index block, std::uint32_t expected) noexcept {
        if (expected == no_event || expected != like_ + 1 || height_of(block) <= highest_) return false;
        if (past_.count() < late_at_) return false;
        late_at_ = past_.count() + longest_pause;
        return true;
    }
    constexpr block_index place_as_planned(const need<quanta>& n, std::uint32_t expected) {
        if (expected == no_event || heights_.empty() || expected <= plan_begin_ ||
            expected - plan_begin_ >= heights_.size())
            return no_block;
        const quanta height = heights_[expected - plan_begin_];
        const quanta capacity = P::map().capacity();
        if (n.length > capacity || height > capacity - n.length || n.alignment != 1) return no_block;
        if (comes_from_top<P>(n) != from_top_) return no_block;
        const auto top = static_cast<quanta>(height + n.length);
        const auto at = static_cast<quanta>(from_top_ ? capacity - top : height);
        const block_index block = at < n.avoid_below ? no_block : P::occupy({at, n.length});
        followed_ += block != no_block;
        return block;
    }

    /// Room for an event: the older half is forgotten where there is none.
    constexpr void make_room() {
        if (!past_.is_full()) return;
        past_.forget();
        for (std::uint32_t& request : request_of_) request = past_.after_forgetting(request);
        lose();
        find_at_ = late_at_ = 0;
    }

    learned_past past_;
    trivial_vector<std::uint32_t> request_of_;  // by block: the request that it came from, while that is remembered
    trivial_vector<quanta> heights_;            // by event after `plan_begin_`: where its block goes
    std::uint32_t plan_begin_ = 0;
    std::uint32_t planned_until_ = no_event;  // the event of the past up to which it was looked whether to plan
    std::uint32_t plan_at_ = no_event;        // the event at which it is looked next
    std::uint32_t like_ = no_event;           // the event of the past that the last was like
    std::uint32_t missed_ = 0;
    std::uint32_t find_at_ = 0;  // the first event at which the program is looked for in the past again
    std::uint32_t pause_ = settled;
    std::uint32_t late_at_ = 0;
    std::uint32_t settled_ = settled;  // doubled by a plan that the program departed from, halved by others
    bool begun_ = false;               // a request has come
    bool from_top_ = false;            // as the first request said
    quanta highest_ = 0;               // how high memory was used
    std::uint64_t followed_ = 0;
    std::uint64_t plans_ = 0;
};

template <placement P>
struct from_the_top<learning<P>> {
    using type = learning<from_the_top_t<P>>;
};

}  // namespace hbm
