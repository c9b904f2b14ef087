#pragma once

/// The main header: the manager, the common policies, TPU generations and named managers. It includes neither
/// <iostream> nor <string>. Separate headers have the less common policies: `buddy`, `first_fit`, `free_together`,
/// `good_fit` and `lifetimes_apart` in placement/, `rent_or_buy` in planning/,
/// `host_device` in device/. So have observers, reports, `fits` and `mesh`.

// First, so that errors of placements begin with a short path of includes.
// clang-format off
#include <hbm/placement/placement.hpp>
// clang-format on
#include <hbm/donation/donation.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/planning/planner.hpp>
#include <hbm/tpu/generations.hpp>
#include <hbm/tpu/managers.hpp>
#include <hbm/version.hpp>
