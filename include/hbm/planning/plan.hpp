#pragma once

#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/program_record.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// The way in which an eviction policy chooses victims by their scores.
enum class victims : std::uint8_t {
    none,           ///< no program is evicted
    one_at_a_time,  ///< the lowest score first until the request fits; unnecessary victims stay in memory
    window,         ///< the contiguous window of programs and holes with the lowest sum of scores
};

/// Proofs that no plan makes room.
enum class infeasibility : std::uint8_t {
    unknown,         ///< no plan was found; one may exist
    too_few_bytes,   ///< the free bytes and those that programs can give back do not suffice
    walls,           ///< no range between two walls is long enough
    no_arrangement,  ///< the exhaustive search of moves and evictions is complete
    wrong_call,      ///< the request is invalid: a bad alignment, or a size that is not representable
};

enum class step_kind : std::uint8_t {
    wait,   ///< until the fence of number `to` is reached; `bytes` return
    evict,  ///< the program in slot `subject`, of generation `from`; `bytes` of code and constants
    move,   ///< block `subject` of `bytes` from offset `from` to offset `to`
};

enum class step_purpose : std::uint8_t {
    room,   ///< frees room that is needed
    aside,  ///< makes room for a block in the way
};

/// A step of a plan. Offsets and sizes in bytes, costs in modelled nanoseconds.
struct step {
    step_kind what = step_kind::wait;
    std::uint32_t subject = 0;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t bytes = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t copies = 0;  ///< count of copies of a move
    step_purpose purpose = step_purpose::room;

    friend constexpr bool operator==(const step&, const step&) = default;
};

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
[[nodiscard, gnu::cold]] constexpr step eviction_step(std::uint32_t slot, const program_record& record) noexcept {
    return {step_kind::evict, slot, record.generation, 0, record.code, record.reload_nanoseconds};
}

/// A plan of relief: steps in order, and their total cost. A value to examine, apply to a copy, or drop.
struct plan {
    trivial_vector<step> steps;
    std::uint64_t nanoseconds = 0;
    /// A lower bound of the cost of any relief with the permitted victims.
    /// Equals `nanoseconds` if the plan is proven to be the cheapest; 0 if unknown.
    std::uint64_t lower_bound = 0;
    /// Byte offsets of the parts of the call after the plan, in order, without the reservation.
    /// Used if the placement's own choice of holes would not leave room for all parts.
    trivial_vector<std::uint64_t> places;

    [[gnu::cold]] constexpr void add(const step& next) {
        steps.push_back(next);
        nanoseconds = saturating_add(nanoseconds, next.nanoseconds);
    }

    [[nodiscard]] constexpr bool has(step_kind kind) const noexcept {
        for (const step& next : steps)
            if (next.what == kind) return true;
        return false;
    }
    [[nodiscard]] constexpr std::uint64_t nanoseconds_of(step_kind kind) const noexcept {
        std::uint64_t sum = 0;
        for (const step& next : steps)
            if (next.what == kind) sum = saturating_add(sum, next.nanoseconds);
        return sum;
    }

    friend constexpr bool operator==(const plan&, const plan&) = default;
};

/// The result of planning: a plan, or the proof that there is none.
struct planning_result {
    std::optional<plan> found;
    infeasibility proof = infeasibility::unknown;  ///< set if there is no plan
    /// A lower bound in nanoseconds of all ways; the largest number if it is proven that there is none.
    std::uint64_t lower_bound = 0;

    friend constexpr bool operator==(const planning_result&, const planning_result&) = default;
};

}  // namespace hbm::inline v0
