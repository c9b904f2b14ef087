#pragma once

/// Policy types that can behave as any of several policies, chosen at run time. Managers over 64-bit quanta use them:
/// they are seldom needed, and compiling a type for each policy would double the build time.

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/donation/never_donate.hpp>
#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/eviction/evict_greedy_dual.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/eviction/never_evict.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace hbm::compare {

/// `evict_lru` or `evict_greedy_dual`.
struct chosen_order {
    static constexpr fixed_string name{"chosen_order"};
    static constexpr victims choice = victims::one_at_a_time;

    bool is_lru = true;
    evict_lru lru = {};
    evict_greedy_dual dual = {};

    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        return is_lru ? lru.score(record, now) : dual.score(record, now);
    }
    [[nodiscard]] constexpr std::uint64_t credit(const program_record& record, std::uint64_t now) const noexcept {
        return is_lru ? record.credit : dual.credit(record, now);
    }
    constexpr void evicted(const program_record& record) noexcept {
        if (!is_lru) dual.evicted(record);
    }

    friend constexpr bool operator==(const chosen_order&, const chosen_order&) = default;
};
static_assert(eviction<chosen_order>);

/// Any of the shipped donation policies.
struct chosen_donation {
    static constexpr fixed_string name{"chosen_donation"};

    enum class policy : std::uint8_t { never, same_size, fitting } which = policy::never;

    [[nodiscard]] constexpr std::size_t choose(std::span<const std::uint64_t> offered,
                                               std::uint64_t size) const noexcept {
        if (which == policy::never) return no_donor;
        return which == policy::fitting ? donate_fitting{}.choose(offered, size)
                                        : donate_same_size{}.choose(offered, size);
    }

    friend constexpr bool operator==(const chosen_donation&, const chosen_donation&) = default;
};
static_assert(donation<chosen_donation>);

/// The eviction policy to use instead of `Eviction`: itself, unless it evicts in an order.
template <class Eviction>
[[nodiscard]] constexpr auto stand_in() noexcept {
    if constexpr (std::is_same_v<Eviction, evict_lru>)
        return chosen_order{.is_lru = true};
    else if constexpr (std::is_same_v<Eviction, evict_greedy_dual>)
        return chosen_order{.is_lru = false};
    else
        return Eviction{};
}

/// The value that behaves as `Donation`.
template <class Donation>
[[nodiscard]] constexpr chosen_donation stand_in_donation() noexcept {
    using policy = chosen_donation::policy;
    return {.which = std::is_same_v<Donation, donate_fitting>     ? policy::fitting
                     : std::is_same_v<Donation, donate_same_size> ? policy::same_size
                                                                  : policy::never};
}

}  // namespace hbm::compare
