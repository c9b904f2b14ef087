#pragma once

#include <hbm/device/device.hpp>
#include <hbm/device/no_device.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/donation/never_donate.hpp>
#include <hbm/events/events.hpp>
#include <hbm/events/no_events.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/placement/placement.hpp>
#include <hbm/relief/never_relieve.hpp>
#include <hbm/relief/relief.hpp>

#include <concepts>
#include <cstdint>

namespace hbm::detail {

enum class policy_kind : std::uint8_t { unknown, placement, eviction, donation, relief, device, observer };

template <class T>
[[nodiscard]] consteval policy_kind kind_of() {
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
    static_assert(First != eviction, "the first policy is an eviction policy" HBM_ORDER);
    static_assert(First != donation, "the first policy is a donation policy" HBM_ORDER);
    static_assert(First != relief, "the first policy is a relief policy" HBM_ORDER);
    static_assert(First != device, "the first policy is a device" HBM_ORDER);
    static_assert(First != observer, "the first policy is an observer" HBM_ORDER);
    static_assert(Second != placement, "the second policy is a placement" HBM_ORDER);
    static_assert(Second != donation, "the second policy is a donation policy" HBM_ORDER);
    static_assert(Second != relief, "the second policy is a relief policy" HBM_ORDER);
    static_assert(Second != device, "the second policy is a device" HBM_ORDER);
    static_assert(Second != observer, "the second policy is an observer" HBM_ORDER);
    static_assert(Third != placement, "the third policy is a placement" HBM_ORDER);
    static_assert(Third != eviction, "the third policy is an eviction policy" HBM_ORDER);
    static_assert(Third != relief, "the third policy is a relief policy" HBM_ORDER);
    static_assert(Third != device, "the third policy is a device" HBM_ORDER);
    static_assert(Third != observer, "the third policy is an observer" HBM_ORDER);
    static_assert(Fourth != placement, "the fourth policy is a placement" HBM_ORDER);
    static_assert(Fourth != eviction, "the fourth policy is an eviction policy" HBM_ORDER);
    static_assert(Fourth != donation, "the fourth policy is a donation policy" HBM_ORDER);
    static_assert(Fourth != device, "the fourth policy is a device" HBM_ORDER);
    static_assert(Fourth != observer, "the fourth policy is an observer" HBM_ORDER);
    static_assert(Fifth != placement, "the fifth policy is a placement" HBM_ORDER);
    static_assert(Fifth != eviction, "the fifth policy is an eviction policy" HBM_ORDER);
    static_assert(Fifth != donation, "the fifth policy is a donation policy" HBM_ORDER);
    static_assert(Fifth != relief, "the fifth policy is a relief policy" HBM_ORDER);
    static_assert(Fifth != observer, "the fifth policy is an observer" HBM_ORDER);
    static_assert(Sixth != placement, "the sixth policy is a placement" HBM_ORDER);
    static_assert(Sixth != eviction, "the sixth policy is an eviction policy" HBM_ORDER);
    static_assert(Sixth != donation, "the sixth policy is a donation policy" HBM_ORDER);
    static_assert(Sixth != relief, "the sixth policy is a relief policy" HBM_ORDER);
    static_assert(Sixth != device, "the sixth policy is a device" HBM_ORDER);
#undef HBM_ORDER
    return true;
}

}  // namespace hbm::detail
