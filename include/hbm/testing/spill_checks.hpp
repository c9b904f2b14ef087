#pragma once

#include <hbm/memory_set/spill.hpp>
#include <hbm/testing/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0::testing {

/// Checks a spill policy with random places and prices. Returns the rule that it breaks, or null.
template <spill S>
[[nodiscard]] const char* check_spill_choice([[maybe_unused]] const S& policy, [[maybe_unused]] random_numbers random) {
    if constexpr (spills<S>) {
        std::array<spill_place, 4> all{};
        const std::uint64_t bytes = random.below(1 << 20);
        bool has_room = false;
        const std::size_t count = 1 + random.below(all.size());
        for (std::size_t at = 0; at < count; ++at) {
            const std::uint64_t price = random.once_in(2) ? 0 : random.below(1'000'000);
            all[at] = {"memory", bytes, random.once_in(3) ? spill_place::no_room : price};
            has_room = has_room || all[at].has_room();
        }
        const std::span<const spill_place> places(all.data(), count);
        const std::size_t chosen = policy.choose(places);
        if (chosen != policy.choose(places)) return "the spill policy chooses differently for equal places";
        if (!has_room) return nullptr;
        if (chosen >= count) return "the spill policy chose no memory, although one has room";
        if (!places[chosen].has_room())
            return "the spill policy chose a memory without room, although another has room";
        if (places[0].relief_nanoseconds == 0 && chosen != 0)
            return "the spill policy spills although the request fits into the wanted memory";
    }
    return nullptr;
}

}  // namespace hbm::inline v0::testing
