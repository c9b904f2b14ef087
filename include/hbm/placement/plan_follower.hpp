#pragma once

/// Where in a plan a program is.

#include <hbm/placement/sequence_plan.hpp>

#include <array>
#include <cstdint>

namespace hbm {

/// Watches requests and frees and says which event of a plan they are. It believes in the next event of the plan; where
/// that is not what comes, in another step that begins in the same way, in a step that is alike but for sizes, or in an
/// event a little later. Who finds neither is found again by the last 24 events. O(1) where the plan
/// is followed; else O(log steps), times the number of steps that are alike, 64 at most, where a size departs.
class plan_follower {
public:
    /// What is known of a request before it is placed.
    struct forecast {
        std::uint32_t event = no_event;  ///< what it is in the plan, or `no_event`
        bool follows = false;            ///< the step so far was as planned, and the block may go where the plan says
        // What becomes of the follower when the request is placed.
        std::uint32_t next = 0;
        std::uint32_t step = 0;
        std::uint32_t hashed = 0;  // the prefix is the hash of the events of the step before this one
        std::uint32_t prefix = plan_detail::no_prefix;
        std::uint32_t number = 0;
        std::uint32_t came = 0;
        std::uint32_t missed = 0;
        std::uint32_t missed_in_a_row = 0;
        bool is_exact = true;
        bool is_broken = false;
        bool is_lost = false;

        /// All but what follows from the rest.
        [[nodiscard]] constexpr bool is_as(const forecast& other) const noexcept {
            return next == other.next && step == other.step && number == other.number && came == other.came &&
                   missed == other.missed && missed_in_a_row == other.missed_in_a_row && is_exact == other.is_exact &&
                   is_broken == other.is_broken && is_lost == other.is_lost;
        }
    };

    constexpr plan_follower() = default;
    /// Before the first event of a plan, which must outlive the follower.
    constexpr explicit plan_follower(const plan_view& plan) : plan_(plan) {
        if (plan_.order_count != 0) begin(now_, plan_.order[0]);
        settle();
    }

    [[nodiscard]] constexpr const plan_view& plan() const noexcept { return plan_; }
    /// The number of the present step, from 0: to tell its blocks from those of others.
    [[nodiscard]] constexpr std::uint32_t number() const noexcept { return now_.number; }

    /// The event that the plan has next, or null where more has to be known to tell: at the end of a step, and for who
    /// is lost. What it leaves open is when an event that came is noted: the quick way is `pass`. O(1).
    [[nodiscard]] constexpr const plan_event* upcoming() const noexcept {
        return now_.next < end_ ? plan_.events + now_.next : nullptr;
    }
    [[nodiscard]] constexpr std::uint32_t upcoming_event() const noexcept { return now_.next; }
    /// A request that is upcoming may go where the plan says: it stays, or the step so far was as planned.
    [[nodiscard]] constexpr bool follows(const plan_event& next) const noexcept {
        return !now_.is_broken || next.stays();
    }
    /// The event that is upcoming came, a request that was placed or a free. O(1).
    constexpr void pass() noexcept { ++now_.next; }

    /// What a request for `size` quanta is. `is_disturbed`: so much lies where no plan put it that a step which begins
    /// now is better not followed.
    [[nodiscard]] constexpr forecast expect(std::uint32_t size, bool is_disturbed) noexcept {
        catch_up();
        forecast seen = now_;
        seen.event = no_event;
        if (plan_.event_count == 0) return seen;
        end_step(seen, is_disturbed);
        if (!seen.is_lost) {
            const plan_event& expected = plan_.events[seen.next];
            if (!expected.is_free() && expected.size() == size) {
                pass(seen);
            } else if (!begins_otherwise(seen, size, no_event, false) && !takes_other_size(seen, size) &&
                       !comes_soon(seen, size)) {
                miss(seen);
            }
        }
        if (seen.event == no_event) find(seen, size, false);
        seen.follows = seen.event != no_event && (!seen.is_broken || plan_.events[seen.event].stays());
        return seen;
    }
    /// A request was placed as it was expected.
    constexpr void placed(const forecast& expected, std::uint32_t size) noexcept {
        if (plan_.event_count == 0) return;
        now_ = expected;
        remember(plan_detail::in_context(size, false));
        settle();
    }
    /// Where in its step an event is that comes now, from 0. O(1).
    [[nodiscard]] constexpr std::uint32_t place_in_step(std::uint32_t event) const noexcept { return event - first_; }
    /// Where in its step an expected event is, from 0, or `no_event`. O(1).
    [[nodiscard]] constexpr std::uint32_t place_in_step(const forecast& expected) const noexcept {
        return expected.event == no_event ? no_event : expected.event - plan_.steps[expected.step].first;
    }
    /// A block of `size` quanta goes. `place` is where its request was in the present step, or `no_event` if it was in
    /// none or in an earlier one.
    constexpr void freed(std::uint32_t size, std::uint32_t place, bool is_disturbed) noexcept {
        if (plan_.event_count == 0) return;
        catch_up();
        end_step(now_, is_disturbed);
        now_.event = no_event;
        if (!now_.is_lost) {
            const plan_event& expected = plan_.events[now_.next];
            const plan_step& step = plan_.steps[now_.step];
            const std::uint32_t event = place < step.end - step.first ? step.first + place : no_event;
            const bool is_it =
                expected.is_free() && (expected.partner == event || (event == no_event && expected.size() == size));
            if (is_it) {
                pass(now_);
            } else if (!begins_otherwise(now_, size, place, true)) {
                const std::uint32_t later =
                    event == no_event || plan_.events[event].stays() ? no_event : plan_.events[event].partner;
                if (now_.is_broken && later != no_event && later > now_.next && later < step.end)
                    arrive(now_, later);
                else
                    miss(now_);
            }
        }
        if (now_.event == no_event) find(now_, size, true);
        remember(plan_detail::in_context(size, true));
        settle();
    }

    /// O(1).
    friend constexpr bool operator==(plan_follower a, plan_follower b) noexcept {
        a.catch_up();
        b.catch_up();
        return a.plan_ == b.plan_ && a.now_.is_as(b.now_) && a.context_ == b.context_ && a.oldest_ == b.oldest_ &&
               a.has_context_ == b.has_context_ && a.latest_ == b.latest_;
    }

private:
    /// So many events that the plan does not have, one after another, and the program is somewhere else.
    static constexpr std::uint32_t most_missed_in_a_row = 24;
    static constexpr std::uint32_t most_alike = 64;
    static constexpr std::uint32_t look_ahead = 4;

    /// A step is given up when it misses more than this, and one event in 64.
    static constexpr std::uint32_t misses_allowed = 4;

    constexpr void begin(forecast& at, std::uint32_t step) const noexcept {
        at.step = step;
        at.next = at.hashed = plan_.steps[step].first;
        at.prefix = plan_detail::no_prefix;
        at.is_exact = true;
        at.missed = 0;
    }
    /// At the end of a step the next begins: the one that came next when the plan was made, for now.
    constexpr void end_step(forecast& at, bool is_disturbed) const noexcept {
        if (at.is_lost || at.next != plan_.steps[at.step].end) return;
        ++at.number;
        const bool as_recorded = at.came + 1 < plan_.order_count && plan_.order[at.came] == at.step;
        if (as_recorded) ++at.came;
        begin(at, as_recorded ? plan_.order[at.came] : plan_.steps[at.step].next);
        at.is_broken = is_disturbed;
    }
    constexpr void arrive(forecast& at, std::uint32_t event) const noexcept {
        at.event = event;
        at.next = event + 1;
    }
    /// What came is the next event.
    constexpr void pass(forecast& at) const noexcept {
        arrive(at, at.next);
        at.missed_in_a_row = 0;
    }
    /// Until where events can be passed is known from now on.
    constexpr void settle() noexcept {
        caught_up_ = now_.next;
        const plan_step step = plan_.step_count == 0 ? plan_step{} : plan_.steps[now_.step];
        first_ = step.first;
        end_ = now_.is_lost ? 0 : step.end;
    }
    /// Notes events that were passed. Of many the last are enough. O(1).
    constexpr void catch_up() noexcept {
        if (now_.next == caught_up_) return;
        now_.missed_in_a_row = 0;
        if (const std::uint32_t passed = now_.next - caught_up_; passed > plan_detail::context_events) {
            caught_up_ = now_.next - plan_detail::context_events;
            oldest_ = (oldest_ + passed) % plan_detail::context_events;
            has_context_ = true;
            context_ = 0;
            latest_ = {};
        }
        for (; caught_up_ != now_.next; ++caught_up_) {
            const plan_event& event = plan_.events[caught_up_];
            remember(plan_detail::in_context(event.size(), event.is_free()));
        }
    }
    constexpr void miss(forecast& at) const noexcept {
        ++at.missed;
        at.is_exact = false;
        if (at.missed > misses_allowed + (at.next - plan_.steps[at.step].first) / 64) at.is_broken = true;
        if (++at.missed_in_a_row > most_missed_in_a_row) at.is_lost = true;
    }
    [[nodiscard]] constexpr std::uint32_t step_of(std::uint32_t event) const noexcept {
        std::uint32_t low = 0;
        std::uint32_t high = plan_.step_count - 1;
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (plan_.steps[middle].end <= event)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    /// Another step has begun as this one did and goes on as reality does. `place`: of a free, that of the request in
    /// the step.
    constexpr bool begins_otherwise(forecast& at, std::uint32_t size, std::uint32_t place,
                                    bool is_free) const noexcept {
        if (!at.is_exact) return false;
        for (; at.hashed != at.next; ++at.hashed)
            at.prefix = plan_detail::after(at.prefix, plan_.events[at.hashed], plan_.steps[at.step].first);
        const std::uint32_t prefix =
            is_free ? plan_detail::after_free(at.prefix, place) : plan_detail::after_request(at.prefix, size);
        const std::uint32_t event = plan_view::find(plan_.beginnings, plan_.beginning_slots, prefix);
        if (event == no_event || plan_.events[event].size() != size || plan_.events[event].is_free() != is_free)
            return false;
        at.step = step_of(event);
        arrive(at, event);
        at.hashed = at.next;
        at.prefix = prefix;
        at.missed_in_a_row = 0;
        return true;
    }
    /// A step that is alike but for sizes has room for this one: the lowest such step, or the one with the most room.
    constexpr bool takes_other_size(forecast& at, std::uint32_t size) const noexcept {
        const plan_step& present = plan_.steps[at.step];
        if (present.likes < 3 || plan_.events[at.next].is_free()) return false;
        const std::uint32_t place = at.next - present.first;
        if (at.is_exact || plan_.events[at.next].size() < size) {
            std::uint32_t best = at.step;
            std::uint32_t step = present.alike;
            for (std::uint32_t tried = 0; step != at.step && tried < most_alike; ++tried) {
                if (is_better(step, best, place, size)) best = step;
                step = plan_.steps[step].alike;
            }
            at.step = best;
        }
        at.is_exact = false;
        arrive(at, plan_.steps[at.step].first + place);
        at.missed_in_a_row = 0;
        return true;
    }
    [[nodiscard]] constexpr bool is_better(std::uint32_t step, std::uint32_t than, std::uint32_t place,
                                           std::uint32_t size) const noexcept {
        const std::uint32_t room = plan_.events[plan_.steps[step].first + place].size();
        const std::uint32_t other = plan_.events[plan_.steps[than].first + place].size();
        if ((room >= size) != (other >= size)) return room >= size;
        return room >= size ? plan_.steps[step].height < plan_.steps[than].height : room > other;
    }
    /// The request is one of the next: those before it were left out, or come later.
    constexpr bool comes_soon(forecast& at, std::uint32_t size) const noexcept {
        for (std::uint32_t ahead = 1; ahead <= look_ahead && at.next + ahead < plan_.steps[at.step].end; ++ahead) {
            const plan_event& later = plan_.events[at.next + ahead];
            if (later.is_free() || later.size() != size) continue;
            const std::uint32_t found = at.next + ahead;
            miss(at);
            arrive(at, found);
            return true;
        }
        return false;
    }
    /// Who is lost is found by the last events, this one included. How the step began is not known, so it is not
    /// followed to its end.
    constexpr void find(forecast& at, std::uint32_t size, bool is_free) const noexcept {
        if (!at.is_lost && !at.is_broken) return;
        if (!has_context_) return;
        const std::uint32_t hash = after(plan_detail::in_context(size, is_free));
        const std::uint32_t event = plan_view::find(plan_.contexts, plan_.context_slots, plan_detail::mixed(hash));
        if (event == no_event || plan_.events[event].is_free() != is_free || plan_.events[event].size() != size) return;
        at.step = step_of(event);
        arrive(at, event);
        ++at.number;
        at.is_exact = at.is_lost = false;
        at.is_broken = true;
        at.missed_in_a_row = 0;
    }

    [[nodiscard]] constexpr std::uint32_t after(std::uint32_t number) const noexcept {
        return context_ * plan_detail::context_factor + number - latest_[oldest_] * plan_detail::factor_of_leaving();
    }
    constexpr void remember(std::uint32_t number) noexcept {
        context_ = after(number);
        latest_[oldest_] = number;
        if (++oldest_ == plan_detail::context_events) {
            oldest_ = 0;
            has_context_ = true;
        }
    }

    plan_view plan_;
    forecast now_;
    std::array<std::uint32_t, plan_detail::context_events> latest_{};
    std::uint32_t context_ = 0;
    std::uint32_t oldest_ = 0;     // of the latest
    bool has_context_ = false;     // so many came
    std::uint32_t caught_up_ = 0;  // the events from this one on, up to the next, were passed
    std::uint32_t first_ = 0;      // the first event of the step
    std::uint32_t end_ = 0;        // events before this one can be passed: the end of the step, or 0
};

}  // namespace hbm
