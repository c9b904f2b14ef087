#pragma once

/// What a program has asked for and freed so far, to find where it did the same before.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/shared_vector.hpp>
#include <hbm/placement/sequence_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// A request or a free of the past. All sizes are quanta.
struct past_event {
    std::uint32_t size = 0;
    std::uint32_t kind = 0;  ///< 1 for a request; for a free 2 and how many requests its block had seen, 64 at most
    std::uint32_t partner = no_event;   ///< of a request its free, of a free its request
    std::uint32_t like = no_event;      ///< the earlier event that it was taken for
    std::uint32_t previous = no_event;  ///< an earlier event that came after events of the same kinds, or seems to have
    std::uint32_t hash = 0;             ///< of the kinds of the last events
    std::uint32_t requests = 0;         ///< how many came before
    std::uint32_t live = 0;             ///< quanta that were live after it, modulo 2^32

    [[nodiscard]] constexpr bool is_request() const noexcept { return kind == 1; }

    friend constexpr bool operator==(const past_event&, const past_event&) = default;
};

/// The last events of a program, at least 32,768 once there were so many and at most twice as many: 2.2 MiB. A regular
/// value; copies share what they have in common.
class learned_past {
public:
    static constexpr std::uint32_t most_events = 65536;
    /// How many events are looked at to see that something has been there before.
    static constexpr std::uint32_t context_events = 64;

    [[nodiscard]] constexpr std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(events_.size()); }
    [[nodiscard]] constexpr const past_event& operator[](std::uint32_t at) const noexcept { return events_[at]; }
    [[nodiscard]] constexpr bool is_full() const noexcept { return count() == most_events; }
    /// What it takes on the host. O(1).
    [[nodiscard]] constexpr std::size_t bytes() const noexcept { return events_.bytes() + latest_.bytes(); }

    /// Adds a request, after which `live` quanta are live, and returns its number; requires that there is room. O(1) on
    /// average.
    constexpr std::uint32_t ask(std::uint32_t size, std::uint32_t like, std::uint32_t live) {
        const std::uint32_t at = add({.size = size, .kind = 1, .like = like, .live = live});
        ++requests_;
        return at;
    }
    /// Adds the free of a request, or, for `no_event`, of a block of `size` that was not asked for.
    constexpr std::uint32_t free(std::uint32_t request, std::uint32_t size, std::uint32_t like, std::uint32_t live) {
        const std::uint32_t at =
            add({.size = size, .kind = kind_of_free(request), .partner = request, .like = like, .live = live});
        if (request != no_event) events_.change(request).partner = at;
        return at;
    }
    /// The kind that the free of a request would have now.
    [[nodiscard]] constexpr std::uint32_t kind_of_free(std::uint32_t request) const noexcept {
        if (request == no_event) return 2 + most_age;
        const std::uint32_t age = requests_ - events_[request].requests;
        return 2 + (age < most_age ? age : most_age);
    }
    constexpr void set_like(std::uint32_t at, std::uint32_t like) { events_.change(at).like = like; }

    /// How many events before two, and those two, are of the same kinds; at most `most`. And of the same sizes too.
    [[nodiscard]] constexpr std::uint32_t same_kinds(std::uint32_t a, std::uint32_t b,
                                                     std::uint32_t most) const noexcept {
        std::uint32_t count = 0;
        while (count < most && count <= a && events_[a - count].kind == events_[b - count].kind) ++count;
        return count;
    }
    [[nodiscard]] constexpr std::uint32_t same_sizes(std::uint32_t a, std::uint32_t b,
                                                     std::uint32_t most) const noexcept {
        std::uint32_t count = 0;
        while (count < most && count <= a && events_[a - count].kind == events_[b - count].kind &&
               events_[a - count].size == events_[b - count].size)
            ++count;
        return count;
    }

    /// Forgets the older half. What refers to an event has to be passed through `after_forgetting`. O(events).
    constexpr void forget() {
        learned_past kept;
        for (std::uint32_t at = most_events / 2; at < count(); ++at) {
            past_event each = events_[at];
            each.partner = after_forgetting(each.partner);
            each.like = after_forgetting(each.like);
            kept.enter(each);
        }
        kept.requests_ = requests_;
        kept.hash_ = hash_;
        *this = static_cast<learned_past&&>(kept);
    }
    [[nodiscard]] static constexpr std::uint32_t after_forgetting(std::uint32_t at) noexcept {
        return at == no_event || at < most_events / 2 ? no_event : at - most_events / 2;
    }

    friend constexpr bool operator==(const learned_past&, const learned_past&) = default;

private:
    static constexpr std::uint32_t most_age = 64;
    static constexpr std::uint32_t slots = 16384;

    constexpr std::uint32_t add(past_event added) {
        hash_ = hash_ * plan_detail::context_factor + plan_detail::mixed(added.kind);
        if (count() >= context_events) hash_ -= plan_detail::mixed(events_[count() - context_events].kind) * leaving;
        added.hash = plan_detail::mixed(hash_);
        added.requests = requests_;
        enter(added);
        return count() - 1;
    }
    constexpr void enter(past_event added) {
        added.previous = no_event;
        if (count() >= context_events) {
            while (latest_.size() < slots) latest_.push_back(no_event);
            std::uint32_t& latest = latest_.change(added.hash % slots);
            added.previous = latest;
            latest = count();
        }
        events_.push_back(added);
    }
    /// What a kind was multiplied by when it leaves the context.
    static constexpr std::uint32_t leaving = [] {
        std::uint32_t factor = 1;
        for (std::uint32_t at = 0; at < context_events; ++at) factor *= plan_detail::context_factor;
        return factor;
    }();

    shared_vector<past_event> events_;
    shared_vector<std::uint32_t> latest_;  // by hash: the last event with it, or with another of the same slot
    std::uint32_t requests_ = 0;
    std::uint32_t hash_ = 0;
};

}  // namespace hbm
