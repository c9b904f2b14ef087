#pragma once

/// Makes an entry of a manager type.

#include <type_traits>

#include "compare/managers/drive.hpp"
#include "compare/managers/prebuilt.hpp"

namespace hbm::compare {

namespace detail {

/// Whether the failures of a manager can be explained, by what is compiled already or by what is included.
template <class Manager, class P = typename explained<typename Manager::placement_type>::type>
inline constexpr bool can_be_explained = explanation_is_prebuilt<P> || requires {
    sizeof(explanation_can_be_compiled<P>);
};

}  // namespace detail

/// The entry of a manager type. `Wide` is the same manager over 64-bit quanta; without it, capacities beyond 2^32 - 1
/// quanta fail.
template <class Narrow, class Wide = Narrow>
[[nodiscard]] constexpr manager_entry entry() noexcept {
    static_assert(detail::can_be_explained<Wide>,
                  "the library can explain failures only under placements made of hbm::fit: for other placements, "
                  "write #include <compare/managers/explain_placement.hpp> after #include <hbm_compare.hpp>");
    constexpr bool has_wide = !std::is_same_v<Narrow, Wide>;
    manager_entry made = entry_of<Narrow, !has_wide>();
    if constexpr (has_wide) made.wide = drive<Wide, true>();
    return made;
}

}  // namespace hbm::compare
