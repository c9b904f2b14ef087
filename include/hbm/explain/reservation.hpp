#pragma once

/// What is missing for a reservation at the bottom of memory, where something may be reserved already.

#include <hbm/core/bytes.hpp>

#include <cstdint>

namespace hbm {

/// The bytes that are missing where `asked` are to be reserved at the bottom, `reserved` are reserved there already,
/// and `room` are free beside them; 0 if there are enough. Loaded programs share a reservation as large as the largest
/// of their needs: it grows by what is asked for less what is reserved, and only that has to be found. O(1).
[[nodiscard]] constexpr std::uint64_t missing_for_reservation(std::uint64_t asked, std::uint64_t reserved,
                                                              std::uint64_t room) noexcept {
    const std::uint64_t possible = saturating_add(reserved, room);
    return asked > possible ? asked - possible : 0;
}

}  // namespace hbm
