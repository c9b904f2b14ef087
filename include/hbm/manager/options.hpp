#pragma once

#include <hbm/core/language.hpp>
#include <hbm/core/specs.hpp>

#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// The policies, device and observer of a manager, by name: `{.device = host_device(bytes), .salt = 7}`.
template <class Eviction, class Donation, class Relief, class Device, class Events>
struct manager_options {
    Eviction eviction{};
    Donation donation{};
    Relief relief{};
    Device device{};
    Events events{};
    /// Distinguishes handles of this manager and its copies from others; by default from source location and spec.
    /// Equal managers made in one place, as in a loop or by `std::make_unique`, need salts of their own.
    std::optional<std::uint32_t> salt{};
};

namespace detail {

template <class Memory>
struct starting;  // a friend, see <hbm/fits.hpp>

/// Options of any types, in order to reject those of policies that a manager does not have.
struct unknown_options {
    struct value {
        template <class T = int>
        constexpr value(const T& = {}) {}  // NOLINT: implicit
    };
    value eviction, donation, relief, device, events, salt;
};

/// A device that has bytes; move-only, so that they are not copied by accident.
template <class Device>
struct device_with_bytes {
    Device device{};

    constexpr device_with_bytes() = default;
    constexpr explicit device_with_bytes(const Device& given) : device(given) {}
    device_with_bytes(const device_with_bytes&) = delete;
    device_with_bytes& operator=(const device_with_bytes&) = delete;
    constexpr device_with_bytes(device_with_bytes&&) = default;
    constexpr device_with_bytes& operator=(device_with_bytes&&) = default;
    constexpr ~device_with_bytes() = default;
};

}  // namespace detail

}  // namespace hbm::inline v0
