#include "compare/managers/explain_placement.hpp"

// Compiles the explanation of failures under all placements over 64-bit quanta.

namespace hbm::compare {

template void explain_failure(const explained_memory<chosen_placement>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<chosen_reserving>&, const failed_row&, failure_report&);

}  // namespace hbm::compare
