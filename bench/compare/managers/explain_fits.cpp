#include "compare/managers/explain_placement.hpp"

// Compiles the explanation of failures under fits: shipped fits at 64 bits, and those of users at both widths.

namespace hbm::compare {

template void explain_failure(const explained_memory<best_32>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<compacting<best_32>>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<bottom_reserve<best_32>>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<bottom_reserve<compacting<best_32>>>&, const failed_row&,
                              failure_report&);
template void explain_failure(const explained_memory<best_64>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<compacting<best_64>>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<bottom_reserve<best_64>>&, const failed_row&, failure_report&);
template void explain_failure(const explained_memory<bottom_reserve<compacting<best_64>>>&, const failed_row&,
                              failure_report&);

}  // namespace hbm::compare
