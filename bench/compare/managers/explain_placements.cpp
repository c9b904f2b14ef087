#include <hbm/placement/bfc.hpp>
#include <hbm/placement/buddy.hpp>

#include <cstdint>

#include "compare/managers/explain_placement.hpp"

// Compiles the explanation of failures under shipped placements. One of them serves all exact fits.

namespace hbm::compare {

using best = basic_best_fit<std::uint64_t>;
template void explain_failure(const explained_memory<compacting<best>>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<bottom_reserve<compacting<best>>>&, const failed_row&,
                              failure_report&);

using buddies = basic_buddy<std::uint64_t>;
template void explain_failure(const explained_memory<compacting<buddies>>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<bottom_reserve<compacting<buddies>>>&, const failed_row&,
                              failure_report&);

template void explain_failure(const explained_memory<basic_bfc<std::uint64_t>>&, const failed_row&, failure_report&);

}  // namespace hbm::compare
