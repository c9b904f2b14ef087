#pragma once

/// The contract of a device, which holds the bytes.
///
/// | expression                | result         | meaning                                                                                |
/// |---------------------------|----------------|----------------------------------------------------------------------------------------|
/// | `V::name`                 | `fixed_string` | the type as a user would write it                                                      |
/// | `v.copy(to, from, bytes)` | `bool`         | optional: copies between ranges that do not overlap. False if the copy failed: the     |
/// |                           |                | source is unchanged, the target unspecified. Without `copy` there are no bytes to move |
///
/// Requires: `copy` calls only queries and `fork` of its manager; others, `plan_for` included, terminate the program
/// with a message. If `copy` throws, the manager handles it as a failed copy and rethrows.

#include <hbm/core/fixed_string.hpp>
#include <hbm/core/member_names.hpp>
#include <hbm/core/regular_value.hpp>

#include <concepts>
#include <cstdint>

namespace hbm::inline v0 {

/// Ability: to hold and copy bytes.
template <class V>
concept copies = requires(V device, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    { device.copy(to, from, bytes) } -> std::same_as<bool>;
};

template <class V>
concept device = regular_value<V> && names_itself<V> &&(copies<V> || !detail::has_copy<V>);

/// Fails to compile with a message for every part of the contract that `V` violates.
template <class V>
consteval bool check_device() {
    static_assert(regular_value<V>, "a device is a regular value: default-made, copied, compared with ==");
    static_assert(names_itself<V>, "a device has a name: static constexpr hbm::fixed_string name{\"my_device\"};");
    static_assert(copies<V> || !detail::has_copy<V>,
                  "copy is near but not right: bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);");
    return device<V>;
}

/// The null device, without bytes: the manager does bookkeeping only.
struct no_device {
    static constexpr fixed_string name{"no_device"};

    friend constexpr bool operator==(const no_device&, const no_device&) = default;
};

static_assert(device<no_device> && !copies<no_device>);

}  // namespace hbm::inline v0
