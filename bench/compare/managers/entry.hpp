#pragma once

/// Makes an entry of a manager type.

#include <type_traits>

#include "compare/managers/drive.hpp"
#include "compare/managers/explain_placement.hpp"

namespace hbm::compare {

/// The entry of a manager type. `Wide` is the same manager over 64-bit quanta; without it, capacities beyond 2^32 - 1
/// quanta fail.
template <class Narrow, class Wide = Narrow>
[[nodiscard]] constexpr manager_entry entry() noexcept {
    constexpr bool has_wide = !std::is_same_v<Narrow, Wide>;
    manager_entry made = entry_of<Narrow, !has_wide>();
    if constexpr (has_wide) made.wide = drive<Wide, true>();
    return made;
}

}  // namespace hbm::compare
