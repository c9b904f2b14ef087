#pragma once

#include <hbm/adapt/address_range.hpp>
#include <hbm/adapt/poison.hpp>
#include <hbm/core/language.hpp>
#include <hbm/device/device.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// A device whose bytes are a range of addresses on the host. A value: copies refer to the same bytes.
struct range_device {
    static constexpr fixed_string name{"range_device"};

    address_range bytes = {};

    /// Copies `size` bytes; the ranges may overlap. Clears the poison of AddressSanitizer in both ranges first, as
    /// bytes of a block beyond its buffer are poisoned.
    /// Fails: returns false, with nothing changed, if a range is outside the memory or not on the host.
    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) noexcept {
        if (!bytes.on_host || !inside(to, size) || !inside(from, size)) return false;
        auto* const base = static_cast<std::byte*>(bytes.base);
        unpoison(base + from, size);
        unpoison(base + to, size);
        detail::move_bytes(base + to, base + from, static_cast<std::size_t>(size));
        return true;
    }

    friend constexpr bool operator==(const range_device&, const range_device&) = default;

private:
    [[nodiscard]] constexpr bool inside(std::uint64_t offset, std::uint64_t size) const noexcept {
        return offset <= bytes.bytes && size <= bytes.bytes - offset;
    }
};

static_assert(device<range_device> && copies<range_device>);

}  // namespace hbm::inline v0
