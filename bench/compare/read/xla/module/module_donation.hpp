#pragma once
// The question what an HLO module could donate.

#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/read/xla/module/module.hpp"

namespace hbm::imported::xla {

/// The arguments, outputs, aliases and donors of a module. O(arguments + outputs).
[[nodiscard]] donation_question donation_question_of(const hlo_module& module);

}  // namespace hbm::imported::xla
