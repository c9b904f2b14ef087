#pragma once

/// What relief is going to do, as a value that can be looked at, priced, applied to a copy, or dropped.

#include <hbm/core/bytes.hpp>

#include <cstdint>
#include <vector>

namespace hbm {

/// One thing that relief can do.
enum class remedy : std::uint8_t {
    wait,   ///< until the fence of number `to` is reached; `bytes` return
    evict,  ///< the program in slot `subject` leaves; `bytes` of code and constants
    move,   ///< block `subject`, `bytes` long, goes from offset `from` to offset `to`
};

/// A step of a plan. Offsets and sizes in bytes, costs in modelled nanoseconds.
struct step {
    remedy what = remedy::wait;
    std::uint32_t subject = 0;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t bytes = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t copies = 0;  ///< that a move is made of

    friend constexpr bool operator==(const step&, const step&) = default;
};

/// Steps in the order in which they can be carried out, and what they cost together.
struct plan {
    std::vector<step> steps;
    std::uint64_t nanoseconds = 0;

    constexpr void add(const step& next) {
        steps.push_back(next);
        nanoseconds = add_up(nanoseconds, next.nanoseconds);
    }

    constexpr void add(const plan& rest) {
        for (const step& next : rest.steps) add(next);
    }

    friend constexpr bool operator==(const plan&, const plan&) = default;
};

}  // namespace hbm
