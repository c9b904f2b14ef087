#pragma once

/// What the library holds in compiled form and the compiler need not compile again for a manager of a user: the search
/// for plans, which is the same for all managers, and the explanation of failures under fits.

#include <hbm/relief/planner.hpp>
#include <hbm/relief/planning_problem.hpp>

#include <cstdint>

#include "compare/managers/explain_failure.hpp"

namespace hbm {

extern template class basic_planner<planning_problem>;
extern template class joint_search<basic_layout<layout_block>>;
extern template class room_search<basic_layout<layout_block>>;
extern template class victim_search<basic_layout<layout_block>>;
extern template class exact_search<basic_layout<layout_block>>;
extern template class room_maker<basic_layout<layout_block>>;
extern template class need_packer<range_of_quanta>;

namespace compare {

using best_32 = basic_best_fit<std::uint32_t>;
using best_64 = basic_best_fit<std::uint64_t>;
template <class Quanta>
inline constexpr bool explanation_is_prebuilt<basic_best_fit<Quanta>> = true;
template <class Quanta>
inline constexpr bool explanation_is_prebuilt<compacting<basic_best_fit<Quanta>>> = true;
template <class Quanta>
inline constexpr bool explanation_is_prebuilt<bottom_reserve<basic_best_fit<Quanta>>> = true;
template <class Quanta>
inline constexpr bool explanation_is_prebuilt<bottom_reserve<compacting<basic_best_fit<Quanta>>>> = true;

extern template void explain_failure(const explained_memory<best_32>&, const failed_row&, failure_report&);
extern template void explain_failure(const explained_memory<compacting<best_32>>&, const failed_row&, failure_report&);
extern template void explain_failure(const explained_memory<bottom_reserve<best_32>>&, const failed_row&,
                                     failure_report&);
extern template void explain_failure(const explained_memory<bottom_reserve<compacting<best_32>>>&, const failed_row&,
                                     failure_report&);
extern template void explain_failure(const explained_memory<best_64>&, const failed_row&, failure_report&);
extern template void explain_failure(const explained_memory<compacting<best_64>>&, const failed_row&, failure_report&);
extern template void explain_failure(const explained_memory<bottom_reserve<best_64>>&, const failed_row&,
                                     failure_report&);
extern template void explain_failure(const explained_memory<bottom_reserve<compacting<best_64>>>&, const failed_row&,
                                     failure_report&);

}  // namespace compare

}  // namespace hbm
