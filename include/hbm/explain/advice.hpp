#pragma once

/// A remedy for a failed attempt, as a value that can be applied to a manager or to a copy.

#include <hbm/explain/attempt.hpp>
#include <hbm/state/plan.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace hbm {

/// A remedy: changes to the memory or to the attempt that make the attempt succeed. Sizes in bytes.
struct advice {
    std::vector<buffer> unpin = {};             ///< buffers of which all pins are removed
    plan steps = {};                            ///< steps carried out after that: waiting, evicting, moving
    std::vector<std::uint32_t> donate = {};     ///< further arguments of the run to be donated
    std::optional<std::uint64_t> ask_for = {};  ///< a smaller size for the request
    // The capacity that the manager would need; memory grows at its top, and all blocks stay in place.
    std::optional<std::uint64_t> capacity = {};

    /// True when there is a step of that kind.
    [[nodiscard]] bool has(step_kind what) const noexcept { return steps.has(what); }
    /// True when it only waits, moves and evicts.
    [[nodiscard]] bool is_only_steps() const noexcept {
        return unpin.empty() && donate.empty() && !ask_for && !capacity;
    }
    /// Modelled nanoseconds; the largest number if the remedy is a smaller request or a larger memory.
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

/// Applies a remedy to `memory`, a fork or the manager itself, and to the attempt. `why` is the reason for which the
/// attempt failed. False if the remedy does not apply to them, or the device failed to copy. That the device has the
/// advised capacity the caller must ensure.
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

}  // namespace hbm
