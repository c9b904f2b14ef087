#include <cstdint>

#include "compare/managers/explain_placement.hpp"

// Compiles the explanation of failures over 32-bit quanta, for fits of users whose entry has no 64-bit manager.

namespace hbm::compare {

using best = basic_best_fit<std::uint32_t>;
template void explain_failure(const explained_memory<best>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<compacting<best>>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<bottom_reserve<best>>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<bottom_reserve<compacting<best>>>&, const failed_row&,
                              failure_report&);

}  // namespace hbm::compare
