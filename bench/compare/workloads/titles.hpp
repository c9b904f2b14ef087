#pragma once

/// What tells the points of a sweep apart, in words.

#include <string>
#include <vector>

#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// Sets the title of every scenario: the name of its workload, and of capacity, quantum and seed those in which it
/// differs from others of that name, such as `slow_leak, capacity 4GiB, seed 2`. O(scenarios x log scenarios).
void set_titles(std::vector<scenario>& all);

/// The title without its seed, for what is said of several seeds. O(length of the title).
[[nodiscard]] std::string title_over_seeds(const scenario& of);

}  // namespace hbm::compare
