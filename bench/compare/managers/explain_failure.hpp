#pragma once

/// Explains a failed row: the contents of memory, and possible remedies.

#include <hbm/donation/donation.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/manager.hpp>

#include <cstdint>
#include <type_traits>

#include "compare/managers/chosen_policies.hpp"
#include "compare/managers/explained.hpp"
#include "compare/managers/failed_row.hpp"
#include "compare/managers/chosen_placement.hpp"
#include "compare/replay/replayed_manager.hpp"

namespace hbm::compare {

struct failure_report;

namespace detail {

/// Placement of the memory in which a failure under `P` is explained. Over 64-bit quanta it is chosen at run time, so
/// that explanations are compiled once.
template <class P>
using explaining = std::conditional_t<std::is_same_v<typename P::quanta, std::uint32_t>, typename explained<P>::type,
                                      std::conditional_t<reserves<P>, chosen_reserving, chosen_placement>>;

}  // namespace detail

/// Manager in which a failure is explained, one type for all managers of a placement. It has an eviction and a donation
/// policy, so it can make room whenever any of them can.
template <class P>
using explained_memory = manager<P, evict_lru, donate_same_size, relieve_as_told>;

/// Explains the memory after a failed row. Defined in explain_placement.hpp; compiled once for all placements over
/// 64-bit quanta, in explain_placements.cpp.
template <class P>
void explain_failure(const explained_memory<P>& memory, const failed_row& row, failure_report& into);

/// Explains the memory of a manager of type `Manager`.
template <class Manager>
void explain(const trace::replayed_memory& memory, const failed_row& row, failure_report& into) {
    using placement = detail::explaining<typename Manager::placement_type>;
    const Manager& failed = static_cast<const trace::replayed<Manager>&>(memory).manager();
    const relieve_as_told relief{.evicts = row.evicts, .moves = row.moves};
    explain_failure<placement>(failed.template under<explained_memory<placement>>({.relief = relief}), row, into);
}

}  // namespace hbm::compare
