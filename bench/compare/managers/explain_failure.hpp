#pragma once

/// Explains a failed row: the contents of memory, and possible remedies.

#include <hbm/donation/donation.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include <cstdint>
#include <type_traits>

#include "compare/managers/chosen_placement.hpp"
#include "compare/managers/chosen_policies.hpp"
#include "compare/managers/failed_row.hpp"
#include "compare/replay/replayed_manager.hpp"

namespace hbm::compare {

struct failure_report;

namespace detail {

/// Accepts fits that split exactly. Never defined.
template <class Index>
void require_exact_fit(const fit<Index, split_exactly>&);
/// Placement that takes exactly the requested quanta from one end of some hole, without adaptors.
template <class P>
concept exact_fit = !compacts<P> && !reserves<P> && !heeds_lifetimes<P> && requires(const P& placed) {
    require_exact_fit(placed);
};

/// Placement for the search of remedies. All fits need a hole that is long enough, so a remedy for one of them works
/// for all, shipped or not. This reduces the number of types to compile.
template <class P>
struct explained {
    using type = P;
};
template <exact_fit P>
struct explained<P> {
    using type = basic_best_fit<typename P::quanta>;
};
template <class P>
struct explained<free_together<P>> : explained<P> {};
template <class P>
struct explained<lifetimes_apart<P>> : explained<P> {};
template <class P>
struct explained<compacting<P>> {
    using type = compacting<typename explained<P>::type>;
};
/// Either order is the same placement.
template <class P, scratch_sharing Sharing>
struct explained<compacting<bottom_reserve<P, Sharing>>> : explained<bottom_reserve<compacting<P>, Sharing>> {};
template <class P, scratch_sharing Sharing>
struct explained<bottom_reserve<P, Sharing>> {
    using type = bottom_reserve<typename explained<P>::type, Sharing>;
};

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
