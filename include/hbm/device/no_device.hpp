#pragma once

#include <hbm/device/device.hpp>

namespace hbm::inline v0 {

/// The null device, without bytes: the manager does bookkeeping only.
struct no_device {
    static constexpr fixed_string name{"no_device"};

    friend constexpr bool operator==(const no_device&, const no_device&) = default;
};

static_assert(device<no_device> && !copies<no_device>);

}  // namespace hbm::inline v0
