#pragma once

/// What a manager is made with besides its memory.

#include <hbm/core/language.hpp>

#include <cstdint>
#include <optional>

namespace hbm {

/// The policies, device and observer of a manager, by name: `{.device = host_device(bytes), .salt = 7}`. What is left
/// out is made by default.
template <class Eviction, class Donation, class Relief, class Device, class Events>
struct manager_options {
    Eviction eviction{};
    Donation donation{};
    Relief relief{};
    Device device{};
    Events events{};
    /// Tells handles of this manager and of its copies from those of other managers. By default it follows from where
    /// in the source the manager is made, and from the sizes of its `memory_spec`. Managers of equal memories that are
    /// made in the same place, as in a loop, by `std::make_unique`, or as members with initialisers, need salts of
    /// their own.
    std::optional<std::uint32_t> salt{};
};

namespace detail {

/// A device that has bytes, which are not copied by accident.
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

}  // namespace hbm
