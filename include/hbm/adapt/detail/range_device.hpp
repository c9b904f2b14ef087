#pragma once

#include <hbm/adapt/address_range.hpp>
#include <hbm/adapt/poison.hpp>
#include <hbm/device/device.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// A device whose bytes are a range of addresses that the host can reach. A value: copies refer to the same bytes.
struct range_device {
    static constexpr fixed_string name{"range_device"};

    address_range bytes = {};

    /// Copies bytes; ranges that overlap are copied as if they did not. False, with nothing changed, if one of them
    /// lies outside the memory or the host cannot reach it. AddressSanitizer has nothing against either range from then
    /// on: a block may be longer than what was given out of it. O(bytes).
    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) noexcept {
        if (!bytes.on_host || !inside(to, size) || !inside(from, size)) return false;
        auto* const base = static_cast<std::byte*>(bytes.base);
        unpoison(base + from, size);
        unpoison(base + to, size);
        __builtin_memmove(base + to, base + from, static_cast<std::size_t>(size));
        return true;
    }

    friend constexpr bool operator==(const range_device&, const range_device&) = default;

private:
    [[nodiscard]] constexpr bool inside(std::uint64_t offset, std::uint64_t size) const noexcept {
        return offset <= bytes.bytes && size <= bytes.bytes - offset;
    }
};

static_assert(device<range_device> && copies<range_device>);

}  // namespace hbm
