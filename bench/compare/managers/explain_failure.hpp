#pragma once

/// Explains a failed row: the contents of memory, and possible remedies.

#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/placement/lifetimes_learned.hpp>
#include <hbm/relief/planner.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/replay/replayed_manager.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::compare {

struct failure_report;

/// Failed row.
struct failed_row {
    const trace::workload* load = nullptr;
    std::size_t at = 0;
    failure why;
    std::vector<buffer> buffers = {};  ///< buffers by id of the workload
    std::string_view manager;
    bool evicts = false;
    bool donates = false;
    bool moves = false;
    std::uint64_t effort = 0;  ///< see `explain_options`
};

namespace detail {

/// Placement that takes exactly the requested quanta from one end of some hole, without adaptors.
template <class P>
concept exact_fit = !compacts<P> && !reserves<P> && !heeds_lifetimes<P> && requires(const P& placed) {
    []<class Index>(const fit<Index, split_exactly>&) {}(placed);
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
struct explained<lifetimes_learned<P>> : explained<P> {};
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

}  // namespace detail

/// Relief policy that moves and evicts only if allowed: one type for all managers of a placement.
struct relieve_as_told {
    static constexpr fixed_string name{"relieve_as_told"};

    bool evicts = true;
    bool moves = true;

    [[nodiscard]] std::optional<plan> choose(const planner& ways) const;

    friend constexpr bool operator==(const relieve_as_told&, const relieve_as_told&) = default;
};

/// Manager in which a failure is explained, one type for all managers of a placement. It has an eviction and a donation
/// policy, so it can make room whenever any of them can.
template <class P>
using explained_memory = manager<P, evict_lru, donate_same_size, relieve_as_told>;

/// Explains the memory after a failed row. Defined in explain_placement.hpp; compiled once for each shipped placement,
/// in explain_placements.cpp.
template <class P>
void explain_failure(const explained_memory<P>& memory, const failed_row& row, failure_report& into);

/// Explains the memory of a manager of type `Manager`.
template <class Manager>
void explain(const trace::replayed_memory& memory, const failed_row& row, failure_report& into) {
    using placement = typename detail::explained<typename Manager::placement_type>::type;
    const Manager& failed = static_cast<const trace::replayed<Manager>&>(memory).manager();
    const relieve_as_told relief{.evicts = row.evicts, .moves = row.moves};
    explain_failure<placement>(failed.template under<explained_memory<placement>>(relief), row, into);
}

}  // namespace hbm::compare
