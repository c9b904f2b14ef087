#pragma once

/// What relief is going to do, as a value that can be looked at, priced, applied to a copy, or dropped.

#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/program_record.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/infeasibility.hpp>

#include <cstdint>
#include <optional>

namespace hbm {

/// What a step of relief does.
enum class step_kind : std::uint8_t {
    wait,   ///< until the fence of number `to` is reached; `bytes` return
    evict,  ///< the program in slot `subject`, of generation `from`, leaves; `bytes` of code and constants
    move,   ///< block `subject`, `bytes` long, goes from offset `from` to offset `to`
};

/// What a step is for.
enum class step_purpose : std::uint8_t {
    room,   ///< what it frees is part of the room that is needed, or joins it
    aside,  ///< it makes room for a block that is in the way
};

/// A step of a plan. Offsets and sizes in bytes, costs in modelled nanoseconds.
struct step {
    step_kind what = step_kind::wait;
    std::uint32_t subject = 0;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t bytes = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t copies = 0;  ///< that a move is made of
    step_purpose purpose = step_purpose::room;

    friend constexpr bool operator==(const step&, const step&) = default;
};

/// The step that moves a block of `bytes` from one offset to another, with its price. O(1).
[[nodiscard, gnu::cold]] constexpr step move_step(const memory_spec& spec, block_index block, std::uint64_t from,
                                                  std::uint64_t to, std::uint64_t bytes,
                                                  step_purpose purpose = step_purpose::room) noexcept {
    const std::uint64_t distance = to < from ? from - to : to - from;
    return {.what = step_kind::move,
            .subject = block,
            .from = from,
            .to = to,
            .bytes = bytes,
            .nanoseconds = spec.move_nanoseconds(bytes, distance),
            .copies = spec.copies_of(bytes, distance),
            .purpose = purpose};
}
/// The step that evicts the program in `slot`, with its price. O(1).
[[nodiscard, gnu::cold]] constexpr step eviction_step(std::uint32_t slot, const program_record& record) noexcept {
    return {.what = step_kind::evict,
            .subject = slot,
            .from = record.generation,
            .bytes = record.code,
            .nanoseconds = record.reload_nanoseconds};
}

/// Steps in the order in which they can be carried out, and what they cost together.
struct plan {
    trivial_vector<step> steps;
    std::uint64_t nanoseconds = 0;
    /// No relief costs less in which those leave who may: the same as `nanoseconds` where the plan is proven to be the
    /// cheapest, 0 where nothing is known.
    std::uint64_t lower_bound = 0;
    /// Where each part of the call finds room afterwards: byte offsets in the order of its parts, without the
    /// reservation. Taken where the placement's own choice of holes would not leave room for all of them.
    trivial_vector<std::uint64_t> places;

    [[gnu::cold]] constexpr void add(const step& next) {
        steps.push_back(next);
        nanoseconds = saturating_add(nanoseconds, next.nanoseconds);
    }

    /// Goes on with the steps of `rest`, which says where the parts go.
    [[gnu::cold]] constexpr void add(const plan& rest) {
        for (const step& next : rest.steps) add(next);
        places = rest.places;
    }

    /// True when there is a step of that kind. O(steps), as the next function.
    [[nodiscard]] constexpr bool has(step_kind what) const noexcept {
        for (const step& next : steps)
            if (next.what == what) return true;
        return false;
    }
    /// What the steps of that kind cost together.
    [[nodiscard]] constexpr std::uint64_t nanoseconds_of(step_kind what) const noexcept {
        std::uint64_t sum = 0;
        for (const step& next : steps)
            if (next.what == what) sum = saturating_add(sum, next.nanoseconds);
        return sum;
    }

    friend constexpr bool operator==(const plan&, const plan&) = default;
};

/// What came of planning: a plan, or what is known of why there is none.
struct planning_result {
    std::optional<plan> found;
    infeasibility proof = infeasibility::unknown;  ///< where there is none
    /// No way costs less than so many nanoseconds; the largest number where it is proven that there is none.
    std::uint64_t lower_bound = 0;

    friend constexpr bool operator==(const planning_result&, const planning_result&) = default;
};

}  // namespace hbm
