#pragma once

/// The contract of a device: where the bytes are.
///
/// | expression                | result         | meaning                                                                                              |
/// |---------------------------|----------------|------------------------------------------------------------------------------------------------------|
/// | `V::name`                 | `fixed_string` | the type as a user would write it                                                                    |
/// | `v.copy(to, from, bytes)` | `bool`         | optional: copies bytes between two ranges, which are never asked to overlap. False: it failed, and   |
/// |                           |                | the bytes at `from` are as they were; those at `to` may be anything. Absence means that there are no |
/// |                           |                | bytes to move                                                                                        |
///
/// Requires: it calls nothing of its manager but what looks; another call ends the program with a message. A copy that
/// throws has failed: the call ends as it does for `false`, and then the exception leaves it.

#include <hbm/core/fixed_string.hpp>
#include <hbm/core/member_names.hpp>
#include <hbm/core/regular_value.hpp>

#include <concepts>
#include <cstdint>

namespace hbm {

/// Ability: it has bytes, and copies them.
template <class V>
concept copies = requires(V device, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    { device.copy(to, from, bytes) } -> std::same_as<bool>;
};

/// A device.
template <class V>
concept device = regular_value<V> && names_itself<V> &&(copies<V> || !detail::has_copy<V>);

/// Fails to compile with a message for every part of the contract that `V` misses.
template <class V>
consteval bool check_device() {
    static_assert(regular_value<V>, "a device is a regular value: default-made, copied, compared with ==");
    static_assert(names_itself<V>, "a device has a name: static constexpr hbm::fixed_string name{\"my_device\"};");
    static_assert(copies<V> || !detail::has_copy<V>,
                  "copy is near but not right: bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes)");
    return device<V>;
}

}  // namespace hbm
