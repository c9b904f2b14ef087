#pragma once

/// Where the steps of a sequence of requests begin.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/known_sequence.hpp>
#include <hbm/search/heap_sort.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

namespace plan_detail {

/// Looks for the events after which a step begins. Candidates are places that look alike in their last 24 events, sizes
/// aside: which are requests, and how many requests each block that was freed had seen. They occur at least three
/// times, never an eighth as near together as usual and never six times as far. Of those where about the least is live,
/// the one whose past is most alike and whose future is not: there a step begins, with inputs of another size.
class step_finder {
public:
    constexpr explicit step_finder(const known_sequence& all) : all_(all) {
        trivial_vector<std::uint32_t> requests(all.lives().size(), 0);
        std::uint64_t live = 0;
        std::uint32_t asked = 0;
        for (std::size_t at = 0; at < all.count(); ++at) {
            const known_sequence::event& event = all.events()[at];
            live += event.is_free ? std::uint64_t{0} - all.size_at(at) : all.size_at(at);
            if (live > peak_) peak_ = live;
            live_.push_back(live);
            if (!event.is_free) requests[event.request] = asked++;
            const std::uint32_t age = event.is_free ? asked - requests[event.request] : 0;
            kinds_.push_back(event.is_free ? 2 + (age < 64 ? age : 64) : 1);
        }
    }

    /// The first events of all steps, rising; none if no steps are found. O(n log n).
    [[nodiscard]] constexpr trivial_vector<std::uint32_t> run() {
        const trivial_vector<place> places = places_by_past();
        for (std::size_t from = 0, to = 0; from < places.size(); from = to) {
            while (to < places.size() && places[to].past == places[from].past) ++to;
            consider(places.data() + from, to - from);
        }
        candidate best;
        for (const candidate& each : candidates_)
            if (each.live <= least_ + peak_ / 100 && each.is_better_than(best)) best = each;
        trivial_vector<std::uint32_t> begins;
        if (best.count == 0) return begins;
        const place* const chosen = places.data() + first_of(places, best.past);
        const std::uint32_t earlier = inputs_before(chosen, best.count);
        for (std::size_t at = 0; at < best.count; ++at) begins.push_back(chosen[at].at + 1 - earlier);
        return begins;
    }

private:
    static constexpr std::uint32_t events_together = 24;
    static constexpr std::uint32_t events_before = 8;
    static constexpr std::uint32_t shortest_step = 32;

    struct place {
        std::uint64_t past = 0;
        std::uint32_t at = 0;
    };
    struct candidate {
        std::uint64_t past = 0;
        std::size_t count = 0;
        std::uint32_t first = 0;
        std::uint64_t live = 0;     // on average, in its second half
        std::uint64_t futures = 0;  // how many there are of the next request
        std::uint64_t pasts = 1;    // and of the events before, sizes included

        [[nodiscard]] constexpr bool is_better_than(const candidate& other) const noexcept {
            if (other.count == 0) return true;
            const std::uint64_t left = futures * other.pasts;
            const std::uint64_t right = other.futures * pasts;
            if (left != right) return left > right;
            return live != other.live ? live < other.live : first < other.first;
        }
    };

    [[nodiscard]] static constexpr std::uint64_t spread(std::uint64_t bits) noexcept {
        bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9;
        bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111eb;
        return bits ^ (bits >> 31U);
    }

    [[nodiscard]] constexpr trivial_vector<place> places_by_past() const {
        constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
        std::uint64_t leaving = 1;
        for (std::uint32_t at = 0; at < events_together; ++at) leaving *= factor;
        trivial_vector<place> places;
        std::uint64_t hash = 0;
        for (std::uint32_t at = 0; at < kinds_.size(); ++at) {
            hash = hash * factor + spread(kinds_[at]);
            if (at >= events_together) hash -= leaving * spread(kinds_[at - events_together]);
            if (at + 1 >= events_together) places.push_back({hash, at});
        }
        heap_sort(places,
                  [](const place& a, const place& b) { return a.past != b.past ? a.past < b.past : a.at < b.at; });
        return places;
    }
    [[nodiscard]] static constexpr std::size_t first_of(const trivial_vector<place>& places, std::uint64_t past) {
        std::size_t at = 0;
        while (places[at].past != past) ++at;
        return at;
    }

    constexpr void consider(const place* places, std::size_t count) {
        if (count < 3 || !is_regular(places, count)) return;
        candidate made{places[0].past, count, places[0].at, 0, 0, 1};
        for (std::size_t at = count / 2; at < count; ++at) made.live += live_[places[at].at];
        made.live /= count - count / 2;
        made.futures = different(places, count, [&](std::uint32_t at) {
            return at + 1 < all_.count() && !all_.events()[at + 1].is_free ? all_.size_at(at + 1) : std::uint64_t{0};
        });
        made.pasts = different(places, count, [&](std::uint32_t at) { return past_with_sizes(at); });
        if (candidates_.empty() || made.live < least_) least_ = made.live;
        candidates_.push_back(made);
    }
    [[nodiscard]] constexpr bool is_regular(const place* places, std::size_t count) const {
        if (places[0].at > all_.count() / 2 || all_.count() - places[count - 1].at > all_.count() / 2) return false;
        trivial_vector<std::uint64_t> gaps;
        for (std::size_t at = 1; at < count; ++at)
            gaps.push_back((std::uint64_t{places[at].at - places[at - 1].at} << 32U) + at);
        heap_sort(gaps, [](std::uint64_t a, std::uint64_t b) { return a < b; });
        const std::uint64_t usual = gaps[gaps.size() / 2] >> 32U;
        return usual >= shortest_step && gaps.back() >> 32U <= 6 * usual && (gaps.front() >> 32U) * 8 >= usual;
    }
    /// How many different values there are, those of 0 left out; at least 1.
    template <class Value>
    [[nodiscard]] constexpr std::uint64_t different(const place* places, std::size_t count, Value value) const {
        struct numbered {
            std::uint64_t value;
            std::size_t at;
        };
        trivial_vector<numbered> all;
        for (std::size_t at = 0; at < count; ++at)
            if (const std::uint64_t each = value(places[at].at); each != 0) all.push_back({each, at});
        heap_sort(all, [](const numbered& a, const numbered& b) {
            return a.value != b.value ? a.value < b.value : a.at < b.at;
        });
        std::uint64_t found = 0;
        for (std::size_t at = 0; at < all.size(); ++at) found += at == 0 || all[at].value != all[at - 1].value;
        return found != 0 ? found : 1;
    }
    [[nodiscard]] constexpr std::uint64_t past_with_sizes(std::uint32_t at) const noexcept {
        std::uint64_t hash = 1;
        for (std::uint32_t back = 0; back < events_before && back <= at; ++back)
            hash = spread(hash * 31 + kinds_[at - back] + (std::uint64_t{all_.size_at(at - back)} << 8U));
        return hash | 1;
    }
    /// How many events before the place the inputs of the next step begin: requests whose sizes differ, the inputs of a
    /// step that were read in advance, while about the least is live.
    [[nodiscard]] constexpr std::uint32_t inputs_before(const place* places, std::size_t count) const noexcept {
        std::uint32_t earlier = 0;
        for (std::uint32_t back = 0; back + 1 < events_together + 8 && back <= places[0].at; ++back) {
            bool is_input = true;
            bool differs = false;
            std::uint64_t live = 0;
            for (std::size_t at = count / 2; at < count; ++at) {
                const std::uint32_t event = places[at].at - back;
                is_input = is_input && !all_.events()[event].is_free;
                if (event != 0) live += live_[event - 1];
                differs = differs || all_.size_at(event) != all_.size_at(places[count / 2].at - back);
            }
            const bool is_between_steps = live / (count - count / 2) <= least_ + peak_ / 100;
            if (is_input && differs && is_between_steps) earlier = back + 1;
        }
        return earlier;
    }

    const known_sequence& all_;
    trivial_vector<std::uint64_t> live_;
    trivial_vector<std::uint32_t> kinds_;
    trivial_vector<candidate> candidates_;
    std::uint64_t peak_ = 0;
    std::uint64_t least_ = 0;
};

}  // namespace plan_detail

/// The first events of all steps of a sequence, rising; empty if none are found. What comes before the first is no
/// step, and the last may not be whole. O(n log n). Takes memory from the host.
[[nodiscard]] constexpr trivial_vector<std::uint32_t> find_steps(const known_sequence& all) {
    return plan_detail::step_finder(all).run();
}

}  // namespace hbm
