#pragma once

/// What would make an attempt succeed, as a value that can be applied to a copy.

#include <hbm/report/attempt.hpp>
#include <hbm/state/plan.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace hbm {

/// One remedy: what is to be done to the memory, or to be changed about the attempt. Sizes in bytes.
struct advice {
    std::vector<buffer> unpin = {};             ///< of these every pin is taken back
    plan steps = {};                            ///< then these are carried out: waiting, evicting, moving
    std::vector<std::uint32_t> donate = {};     ///< arguments of the run that are donated as well
    std::optional<std::uint64_t> ask_for = {};  ///< instead of what was asked for
    std::optional<std::uint64_t> capacity =
        {};  ///< that would have to be managed; it grows at its top, and all blocks stay

    /// True when there is a step of that sort.
    [[nodiscard]] bool has(step_kind what) const noexcept { return steps.has(what); }
    /// True when it is to wait, move and evict, and nothing else.
    [[nodiscard]] bool is_only_steps() const noexcept {
        return unpin.empty() && donate.empty() && !ask_for && !capacity;
    }
    /// Modelled nanoseconds; the largest number for what cannot be had at any time: another request, another memory.
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

/// Does to `memory`, a fork or the manager itself, and to the attempt what the advice says; that the device has as much
/// memory as it says is the caller's business. False when it does not apply to them, or the device failed to copy.
/// `why` is the reason for which the attempt failed.
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
