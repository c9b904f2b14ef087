#pragma once

/// A sequence of requests and frees whose end is known.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/placement/sequence_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// Requests and frees in the order in which they came, in quanta. A regular value.
class known_sequence {
public:
    /// A request or a free.
    struct event {
        std::uint32_t request = 0;  ///< its number, counted from 0
        bool is_free = false;

        friend constexpr bool operator==(const event&, const event&) = default;
    };
    /// A block that was asked for.
    struct life {
        std::uint32_t size = 0;
        std::uint32_t begin = 0;       ///< the event that asked for it
        std::uint32_t end = no_event;  ///< the event that freed it

        friend constexpr bool operator==(const life&, const life&) = default;
    };

    /// Adds a request for `size` quanta and returns its number. A request for nothing takes a quantum, as everywhere; a
    /// request for more than `plan_event::most`, which is 512 GiB at 512 bytes, is left out, as is its free: the result
    /// is `no_event`. O(1) on average.
    constexpr std::uint32_t ask(std::uint32_t size) {
        if (size > plan_event::most) return no_event;
        if (size == 0) size = 1;
        const auto request = static_cast<std::uint32_t>(lives_.size());
        lives_.push_back({size, static_cast<std::uint32_t>(events_.size()), no_event});
        events_.push_back({request, false});
        return request;
    }
    /// Adds the free of a request. False, with nothing added, if there is no such request, or it was freed. O(1) on
    /// average.
    constexpr bool free(std::uint32_t request) {
        if (request >= lives_.size() || lives_[request].end != no_event) return false;
        lives_[request].end = static_cast<std::uint32_t>(events_.size());
        events_.push_back({request, true});
        return true;
    }

    [[nodiscard]] constexpr const trivial_vector<event>& events() const noexcept { return events_; }
    /// By request.
    [[nodiscard]] constexpr const trivial_vector<life>& lives() const noexcept { return lives_; }
    [[nodiscard]] constexpr const life& life_at(std::size_t at) const noexcept { return lives_[events_[at].request]; }
    /// The size of the block of an event.
    [[nodiscard]] constexpr std::uint32_t size_at(std::size_t at) const noexcept { return life_at(at).size; }
    [[nodiscard]] constexpr std::size_t count() const noexcept { return events_.size(); }

    friend constexpr bool operator==(const known_sequence&, const known_sequence&) = default;

private:
    trivial_vector<event> events_;
    trivial_vector<life> lives_;
};

}  // namespace hbm
