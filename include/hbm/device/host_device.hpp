#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/device/device.hpp>

#include <cstddef>
#include <span>

namespace hbm::inline v0 {

/// A device with bytes in host memory, so that tests can check the results of moves.
class host_device {
public:
    static constexpr fixed_string name{"host_device"};

    constexpr host_device() = default;
    /// Constructs `capacity` zero bytes.
    constexpr explicit host_device(std::uint64_t capacity) : memory_(static_cast<std::size_t>(capacity)) {}

    /// Copies bytes. Returns false, without effect, if a range lies outside the memory or the ranges overlap.
    /// Cost: O(bytes).
    constexpr bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept {
        if (!inside(to, bytes) || !inside(from, bytes)) return false;
        // No device is asked to copy ranges that overlap. Such a copy is refused here, not done right, so that a test
        // notices.
        if (bytes != 0 && (to < from ? from - to : to - from) < bytes) return false;
        for (std::uint64_t i = 0; i < bytes; ++i) memory_[to + i] = memory_[from + i];
        return true;
    }

    /// Returns the bytes of `[offset, offset + bytes)`, valid for the lifetime of the device, or an empty span if any
    /// of them is outside the memory. A template, so that only its callers pay the compile time of a span.
    template <class Byte = std::byte>
    [[nodiscard]] constexpr std::span<Byte> bytes(std::uint64_t offset, std::uint64_t bytes) noexcept {
        if (!inside(offset, bytes)) return {};
        return {memory_.data() + offset, static_cast<std::size_t>(bytes)};
    }
    template <class Byte = std::byte>
    [[nodiscard]] constexpr std::span<const Byte> bytes(std::uint64_t offset, std::uint64_t bytes) const noexcept {
        if (!inside(offset, bytes)) return {};
        return {memory_.data() + offset, static_cast<std::size_t>(bytes)};
    }

    friend constexpr bool operator==(const host_device&, const host_device&) = default;

private:
    [[nodiscard]] constexpr bool inside(std::uint64_t offset, std::uint64_t bytes) const noexcept {
        return offset <= memory_.size() && bytes <= memory_.size() - offset;
    }

    trivial_vector<std::byte> memory_;
};

static_assert(device<host_device> && copies<host_device>);

}  // namespace hbm::inline v0
