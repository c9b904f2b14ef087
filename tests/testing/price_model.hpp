#pragma once

/// What moves cost by the model that is published for it, written down a second time: shares no code with the library.

#include <cstdint>

namespace hbm::inline v0::testing {

/// The part of a device that the model of moves is about. Bandwidth in bytes per second, which counts in whole bytes
/// per microsecond.
struct move_model {
    std::uint64_t bandwidth = 0;
    std::uint64_t copy_nanoseconds = 0;  ///< fixed cost of a copy
    std::uint64_t bounce = 0;            ///< bytes of the bounce region
};

/// What a move takes.
struct move_price {
    std::uint64_t copies = 0;
    std::uint64_t nanoseconds = 0;

    friend constexpr bool operator==(const move_price&, const move_price&) = default;
};

/// A copy takes its fixed cost, and twice the bytes over the bandwidth, as a byte is read and written; each of the two
/// is rounded down to nanoseconds for all bytes of a move together. A block that moves by less than its length goes in
/// pieces as long as the distance, or, where that takes less time, in pieces as long as the bounce region, each of
/// which is copied twice. O(1).
[[nodiscard]] constexpr move_price price_of_moving(const move_model& device, std::uint64_t bytes,
                                                   std::uint64_t distance) noexcept {
    if (bytes == 0 || distance == 0) return {};
    const std::uint64_t rate = device.bandwidth < 1'000'000 ? 1 : device.bandwidth / 1'000'000;
    const std::uint64_t once = bytes / rate * 1000 + bytes % rate * 1000 / rate;
    const auto in_pieces_of = [&](std::uint64_t piece, std::uint64_t times) {
        const std::uint64_t pieces = piece < bytes ? (bytes + piece - 1) / piece : 1;
        return move_price{times * pieces, times * (pieces * device.copy_nanoseconds + 2 * once)};
    };
    const move_price direct = in_pieces_of(distance, 1);
    if (distance >= bytes || device.bounce <= distance) return direct;
    const move_price bounced = in_pieces_of(device.bounce, 2);
    return bounced.nanoseconds < direct.nanoseconds ? bounced : direct;
}

}  // namespace hbm::inline v0::testing
