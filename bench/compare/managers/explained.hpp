#pragma once

/// Placement that explains failures in place of another.

#include <hbm/index/fit.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

namespace hbm::compare::detail {

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

}  // namespace hbm::compare::detail
