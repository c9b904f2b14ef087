#pragma once

/// Memories of the shipped placements over 64-bit quanta, with all policies chosen at run time: a manager type for each
/// kind of planning.

#include <string_view>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

/// Drivers of managers under one placement.
struct planning_drivers {
    driver waiting;  ///< neither moves nor evicts
    driver planned;  ///< moves or evicts, as chosen
};

/// Drivers of a placement with and without adaptors.
struct placement_drivers {
    std::string_view name;  ///< name of the placement without adaptors
    bool has_footprint = true;  ///< value without scratch at the bottom
    planning_drivers plain;
    planning_drivers reserving;  ///< drivers with scratch reserved at the bottom; empty under bfc
};

[[nodiscard]] placement_drivers best_fit_drivers();
[[nodiscard]] placement_drivers best_fit_lifo_drivers();
[[nodiscard]] placement_drivers first_fit_drivers();
[[nodiscard]] placement_drivers good_fit_drivers();
[[nodiscard]] placement_drivers buddy_drivers();
[[nodiscard]] placement_drivers bfc_drivers();
[[nodiscard]] placement_drivers free_together_drivers();
[[nodiscard]] placement_drivers lifetimes_apart_drivers();

}  // namespace hbm::compare
