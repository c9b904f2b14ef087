#pragma once

/// The recommendation in words.

#include <cstddef>
#include <string>
#include <vector>

#include "compare/texts/recommendation.hpp"

namespace hbm::compare {

/// Three sentences for people. `all`: the managers that complete something, in list order; `impossible`: how many
/// workloads no manager can complete. O(managers).
[[nodiscard]] std::vector<std::string>
recommendation_sentences(const recommendation& made, const std::vector<candidate>& all, std::size_t impossible);

}  // namespace hbm::compare
