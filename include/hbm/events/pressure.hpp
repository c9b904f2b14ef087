#pragma once

#include <hbm/events/events.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// The limits of a `pressure`. A limit of 0 is off.
struct pressure_limits {
    std::uint64_t free_bytes = 0;          ///< pressure if less is free
    std::uint64_t largest_free_bytes = 0;  ///< pressure if the longest free run is shorter
    std::uint32_t fragmentation_percent =
        0;  ///< pressure if more of the free memory is outside of the longest free run

    friend constexpr bool operator==(const pressure_limits&, const pressure_limits&) = default;
};

/// An observer that finds memory scarce before a request fails: after each event it compares memory with limits.
/// Query `is_high` after a call, to free caches or compact; or pass a function, called when pressure begins and ends.
/// Requires: the function changes nothing in the manager, like any observer.
class pressure {
public:
    static constexpr fixed_string name{"pressure"};
    using function = void (*)(void* context, const pressure& now);

    constexpr pressure() = default;
    constexpr explicit pressure(const pressure_limits& limits, function changed = nullptr, void* context = nullptr)
        : limits_(limits), changed_(changed), context_(context) {}

    /// Receives an event.
    /// Cost: O(1), and that of the manager's `largest_free_bytes` if a limit needs it.
    template <class Memory>
    constexpr void on(const event&, const Memory& memory) {
        look_at(memory);
    }
    template <class Memory>
    constexpr void look_at(const Memory& memory) {
        free_ = memory.free_bytes();
        if (limits_.largest_free_bytes != 0 || limits_.fragmentation_percent != 0)
            largest_free_ = memory.largest_free_bytes();
        const bool was_high = is_high_;
        is_high_ = is_short() || is_fragmented();
        if (is_high_ && !was_high) ++times_;
        if (is_high_ != was_high && changed_ != nullptr) changed_(context_, *this);
    }

    /// Returns true if memory is beyond a limit.
    [[nodiscard]] constexpr bool is_high() const noexcept { return is_high_; }
    /// Returns true if memory is beyond the limit of fragmentation.
    [[nodiscard]] constexpr bool is_fragmented() const noexcept {
        if (limits_.fragmentation_percent == 0) return false;
        const std::uint64_t apart = free_ - (largest_free_ < free_ ? largest_free_ : free_);
        const std::uint64_t percent = limits_.fragmentation_percent;
        return apart > free_ / 100 * percent + free_ % 100 * percent / 100;
    }
    /// Returns how often pressure began.
    [[nodiscard]] constexpr std::uint64_t times() const noexcept { return times_; }
    [[nodiscard]] constexpr std::uint64_t free_bytes() const noexcept { return free_; }
    /// Returns the longest free run; 0 if no limit needs it.
    [[nodiscard]] constexpr std::uint64_t largest_free_bytes() const noexcept { return largest_free_; }

    friend constexpr bool operator==(const pressure&, const pressure&) = default;

private:
    [[nodiscard]] constexpr bool is_short() const noexcept {
        return free_ < limits_.free_bytes || largest_free_ < limits_.largest_free_bytes;
    }

    pressure_limits limits_;
    function changed_ = nullptr;
    void* context_ = nullptr;
    std::uint64_t free_ = 0;
    std::uint64_t largest_free_ = 0;
    std::uint64_t times_ = 0;
    bool is_high_ = false;
};

static_assert(observer<pressure>);

}  // namespace hbm::inline v0
