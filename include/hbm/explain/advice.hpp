#pragma once

#include <hbm/explain/attempt.hpp>
#include <hbm/state/plan.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::inline v0 {

/// A remedy for a failed attempt: changes to the memory or to the attempt that make it succeed. Sizes in bytes.
struct advice {
    std::vector<buffer> unpin = {};             ///< buffers whose pins are all removed
    plan steps = {};                            ///< waits, evictions and moves, carried out after that
    std::vector<std::uint32_t> donate = {};     ///< further arguments of the run to donate
    std::optional<std::uint64_t> ask_for = {};  ///< a smaller size for the request
    // The capacity that the manager would need. Memory grows at its top; blocks stay in place.
    std::optional<std::uint64_t> capacity = {};

    /// Returns true if there is a step of this kind.
    [[nodiscard]] bool has(step_kind kind) const noexcept { return steps.has(kind); }
    /// Returns true if the remedy consists of waits, moves and evictions alone.
    [[nodiscard]] bool is_only_steps() const noexcept {
        return unpin.empty() && donate.empty() && !ask_for && !capacity;
    }
    /// Returns the modelled time of the steps in nanoseconds; the largest number if the advice is a smaller request or
    /// a larger memory, so that these sort last.
    [[nodiscard]] std::uint64_t nanoseconds() const noexcept {
        return ask_for || capacity ? ~std::uint64_t{0} : steps.nanoseconds;
    }

    friend bool operator==(const advice&, const advice&) = default;
};

/// A memory whose capacity can grow.
template <class Memory>
concept can_grow = requires(Memory memory, std::uint64_t bytes) {
    memory.extend(bytes);
};

/// Applies a remedy to `memory`, a fork or the manager itself, and to the attempt, which failed for the reason `why`.
/// Requires: the device has the advised capacity.
/// Fails: returns false if the remedy does not apply, or the device failed to copy.
template <class Memory>
bool apply(const advice& given, Memory& memory, attempt& tried, error why) {
    if (given.capacity) {
        if constexpr (can_grow<Memory>) {
            if (!memory.extend(*given.capacity)) return false;
        } else {
            return false;
        }
    }
    for (const buffer pinned : given.unpin)
        while (memory.pins(pinned) != 0)
            if (!memory.unpin(pinned)) return false;
    if (!memory.relieve(given.steps)) return false;
    for (const std::uint32_t argument : given.donate) tried.donate(argument);
    if (!given.ask_for) return true;
    std::uint64_t* bytes = tried.negotiable(why);
    if (bytes != nullptr) *bytes = *given.ask_for;
    return bytes != nullptr;
}

}  // namespace hbm::inline v0
