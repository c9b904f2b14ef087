#pragma once

#include <hbm/device/copies_later.hpp>
#include <hbm/testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::inline v0::testing {

/// Checks a device that copies later with random copies, several to a fence. Returns the rule that it breaks, or null.
/// `bytes_at(device, offset)` returns a reference to a byte.
/// Requires: `device` has `capacity` bytes, at least 64, and no copy has begun. No fence after `first` is in use.
template <copying_device D, class BytesAt>
[[nodiscard]] const char* check_late_copies(D& device, std::uint64_t capacity, fence first, BytesAt bytes_at,
                                            random_numbers random) {
    struct begun_copy {
        std::uint64_t to = 0, from = 0, bytes = 0;
    };
    std::vector<std::byte> expected(capacity);
    for (std::uint64_t round = 1; round <= 16; ++round) {
        for (std::uint64_t at = 0; at < capacity; ++at)
            bytes_at(device, at) = expected[at] = static_cast<std::byte>(random.next());
        const fence over{first.number + round};
        // Each part of the memory has one copy, from one half to the other.
        const std::uint64_t parts = 1 + random.below(4), length = capacity / parts;
        std::vector<begun_copy> begun;
        for (std::uint64_t part = 0; part < parts; ++part) {
            const std::uint64_t bytes = 1 + random.below(length / 2), low = part * length, high = low + length - bytes;
            const bool down = random.once_in(2);
            const begun_copy copy{down ? low : high, down ? high : low, bytes};
            if (device.copy(copy.to, copy.from, copy.bytes, over)) begun.push_back(copy);
        }
        if (begun.empty()) continue;
        const bool arrived = device.copied(over);
        for (const begun_copy& copy : begun)
            for (std::uint64_t at = 0; at < copy.bytes; ++at) expected[copy.to + at] = expected[copy.from + at];
        std::vector<bool> is_target(capacity);
        for (const begun_copy& copy : begun)
            for (std::uint64_t at = 0; at < copy.bytes; ++at) is_target[copy.to + at] = true;
        for (std::uint64_t at = 0; at < capacity; ++at) {
            if (bytes_at(device, at) == expected[at]) continue;
            if (!is_target[at]) return "a copy changes bytes outside of its target";
            if (arrived) return "copies arrived, but a byte of a target is another";
        }
    }
    return nullptr;
}

}  // namespace hbm::inline v0::testing
