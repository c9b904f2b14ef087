#pragma once

/// What relief is going to do, as a value that can be looked at, priced, applied to a copy, or dropped.

#include <hbm/core/bytes.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace hbm {

/// One thing that relief can do.
enum class remedy : std::uint8_t {
    wait,   ///< until the fence of number `to` is reached; `bytes` return
    evict,  ///< the program in slot `subject`, of generation `from`, leaves; `bytes` of code and constants
    move,   ///< block `subject`, `bytes` long, goes from offset `from` to offset `to`
};

/// What a step is for.
enum class step_purpose : std::uint8_t {
    room,   ///< what it frees is part of the room that is wanted, or joins it
    aside,  ///< it makes room for a block that is in the way
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
    step_purpose purpose = step_purpose::room;

    friend constexpr bool operator==(const step&, const step&) = default;
};

/// Steps in the order in which they can be carried out, and what they cost together.
struct plan {
    std::vector<step> steps;
    std::uint64_t nanoseconds = 0;
    /// No relief costs less in which those leave who may: the same as `nanoseconds` where the plan is proven to be the
    /// cheapest, 0 where nothing is known.
    std::uint64_t nothing_under = 0;

    constexpr void add(const step& next) {
        steps.push_back(next);
        nanoseconds = add_up(nanoseconds, next.nanoseconds);
    }

    constexpr void add(const plan& rest) {
        for (const step& next : rest.steps) add(next);
    }

    /// True when there is a step of that sort. O(steps), as the next one.
    [[nodiscard]] constexpr bool has(remedy what) const noexcept {
        for (const step& next : steps)
            if (next.what == what) return true;
        return false;
    }
    /// What the steps of that sort cost together.
    [[nodiscard]] constexpr std::uint64_t nanoseconds_of(remedy what) const noexcept {
        std::uint64_t sum = 0;
        for (const step& next : steps)
            if (next.what == what) sum = add_up(sum, next.nanoseconds);
        return sum;
    }

    friend constexpr bool operator==(const plan&, const plan&) = default;
};

/// Why there is no plan, as far as it is proven.
enum class refusal_proof : std::uint8_t {
    unknown,         ///< none was found; there may be one
    too_few_bytes,   ///< what is free and what programs could give back is not enough
    walls,           ///< no stretch between two walls is long enough
    no_arrangement,  ///< all arrangements that moves and evictions lead to were looked at
    wrong_call,      ///< what is asked for can never be had: an alignment that is none, a size that cannot be counted
};

/// What came of the search for a plan.
struct relief_verdict {
    std::optional<plan> found;
    refusal_proof proof = refusal_proof::unknown;  ///< where there is none
    /// No way costs less than so many nanoseconds; the largest number where it is proven that there is none.
    std::uint64_t nothing_under = 0;

    friend constexpr bool operator==(const relief_verdict&, const relief_verdict&) = default;
};

}  // namespace hbm
