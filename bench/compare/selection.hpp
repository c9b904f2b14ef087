#pragma once

/// Which managers take part.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "compare/manager_entry.hpp"
#include "compare/options.hpp"

namespace hbm::compare {

/// The managers of the comparison, in list order, and the one that times are compared with.
struct selection {
    std::vector<const manager_entry*> managers;
    std::size_t baseline = 0;  ///< index into `managers`
};

/// Picks what the command line asks for out of `all`, or the default ones and a user's own. Returns what is wrong,
/// empty when all is well.
[[nodiscard]] std::string select_managers(const options& asked, std::span<const manager_entry> all, selection& into);

}  // namespace hbm::compare
