#pragma once

/// The allocators that are compared: PyTorch's own, and managers of hbm.

#include <hbm/hbm.hpp>

#include <c10/core/Allocator.h>
#include <cstdint>
#include <span>

#include "occupancy.hpp"

/// What an allocator holds, and what it had to warn of.
struct holdings {
    std::uint64_t blocks = 0;
    std::uint64_t wrong_frees = 0;

    friend constexpr bool operator==(const holdings&, const holdings&) = default;
};

/// An allocator under the name of its placement. Where it is PyTorch's own there are no functions.
struct candidate {
    const char* name = "PyTorch's own";
    c10::Allocator* plain = nullptr;     ///< for measuring time
    c10::Allocator* observed = nullptr;  ///< the same manager with the observer `occupancy`
    holdings (*held)() = nullptr;        ///< by both together
    occupancy (*seen)() = nullptr;
};

/// PyTorch's own first.
[[nodiscard]] std::span<const candidate> candidates();
