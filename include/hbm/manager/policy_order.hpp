#pragma once

#include <hbm/device/device.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/events/events.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/placement/placement.hpp>
#include <hbm/planning/relief.hpp>

#include <concepts>
#include <cstdint>

namespace hbm::inline v0::detail {

enum class policy_kind : std::uint8_t { unknown, placement, eviction, donation, relief, device, observer };

template <class T>
[[nodiscard]] consteval policy_kind kind_of() {
    static_assert(
        requires { sizeof(T); }, "a policy is only declared: include its header, such as "
                                 "<hbm/placement/first_fit.hpp> for first_fit");
    if (has_quanta<T> && explains_itself<T>) return policy_kind::placement;
    if (picks_victims<T>) return policy_kind::eviction;
    if (donates<T> || std::same_as<T, never_donate>) return policy_kind::donation;
    if (chooses_plans<T> || std::same_as<T, never_relieve>) return policy_kind::relief;
    if (copies<T> || std::same_as<T, no_device>) return policy_kind::device;
    if (hears_events<T> || std::same_as<T, no_events>) return policy_kind::observer;
    return policy_kind::unknown;
}

/// Fails to compile with a message if a policy of one kind stands in the place of another.
template <policy_kind First, policy_kind Second, policy_kind Third, policy_kind Fourth, policy_kind Fifth,
          policy_kind Sixth>
consteval bool check_policy_order() {
    using enum policy_kind;
#define HBM_ORDER "; the order is placement, eviction, donation, relief, device, observer"
#define HBM_CHECK(nth, kind, right)                                                                                    \
    static_assert(kind == right || kind != placement, "the " nth " policy is a placement" HBM_ORDER);                  \
    static_assert(kind == right || kind != eviction, "the " nth " policy is an eviction policy" HBM_ORDER);            \
    static_assert(kind == right || kind != donation, "the " nth " policy is a donation policy" HBM_ORDER);             \
    static_assert(kind == right || kind != relief, "the " nth " policy is a relief policy" HBM_ORDER);                 \
    static_assert(kind == right || kind != device, "the " nth " policy is a device" HBM_ORDER);                        \
    static_assert(kind == right || kind != observer, "the " nth " policy is an observer" HBM_ORDER)
    HBM_CHECK("first", First, placement);
    HBM_CHECK("second", Second, eviction);
    HBM_CHECK("third", Third, donation);
    HBM_CHECK("fourth", Fourth, relief);
    HBM_CHECK("fifth", Fifth, device);
    HBM_CHECK("sixth", Sixth, observer);
#undef HBM_CHECK
#undef HBM_ORDER
    return true;
}

}  // namespace hbm::inline v0::detail
