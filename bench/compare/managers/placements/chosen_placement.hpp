#pragma once

/// Placements chosen at run time, so that managers under all shipped placements have one type.

#include <hbm/adapt/any_placement.hpp>

namespace hbm::compare {

/// Placement chosen at run time. It has the permission to move: relief policies decide.
using chosen_placement = any_placement<placement_abilities{.moves = true, .heeds_lifetimes = true}>;
/// Placement chosen at run time that reserves scratch at the bottom.
using chosen_reserving = any_placement<placement_abilities{.moves = true, .heeds_lifetimes = true, .reserves = true}>;

}  // namespace hbm::compare
