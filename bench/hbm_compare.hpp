#pragma once

/// All that a program needs to compare managers of its own with the shipped managers: `hbm::compare::entry` makes an
/// entry of a manager type, and `hbm::compare::compare_main` runs the comparison. Link hbm::compare.

#include "compare/compare.hpp"
#include "compare/managers/entry.hpp"
