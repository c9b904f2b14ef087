#pragma once

/// Replays until a row fails, and has an account given of that.

#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/relief/compact_first.hpp>
#include <hbm/trace/replay.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/manager_entry.hpp"
#include "compare/policies_of.hpp"

namespace hbm::compare {

/// A row that failed. What it refers to belongs to the replay.
struct failed_row {
    const trace::workload* load = nullptr;
    std::size_t at = 0;
    failure why;
    std::vector<buffer> buffers = {};  ///< by id of the workload
    std::string_view manager;
    bool evicts = false;
    bool donates = false;
};

namespace detail {

/// The placement under which help is looked for. All fits look for a hole that is long enough: what helps one helps
/// the others. So few types are made of many.
template <class P>
struct explained {
    using type = P;
};
template <class Q>
struct explained<basic_best_fit_lifo<Q>> {
    using type = basic_best_fit<Q>;
};
template <class Q>
struct explained<basic_first_fit<Q>> {
    using type = basic_best_fit<Q>;
};
template <class Q>
struct explained<basic_good_fit<Q>> {
    using type = basic_best_fit<Q>;
};
template <class P>
struct explained<free_together<P>> {
    using type = typename explained<P>::type;
};
template <class P>
struct explained<compacting<P>> {
    using type = compacting<typename explained<P>::type>;
};
template <class P, scratch_sharing Sharing>
struct explained<bottom_reserve<P, Sharing>> {
    using type = bottom_reserve<typename explained<P>::type, Sharing>;
};

}  // namespace detail

/// Relieves as `relieve_cheapest`, and evicts only if it is told to: one type stands for those that do and those that
/// do not.
struct relieve_as_told {
    static constexpr fixed_string name{"relieve_as_told"};

    bool evicts = true;

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        if (evicts) return compact_first{}.choose(ways);
        std::optional<plan> found = ways.by_waiting();
        if (!found) found = ways.by_moving();
        return found;
    }

    friend constexpr bool operator==(const relieve_as_told&, const relieve_as_told&) = default;
};

/// A memory of which an account is given, for all of its placement: whoever evicts can make room where any of them can,
/// by moving if the placement permits it, and takes what is donated.
template <class P>
using explained_memory = manager<P, evict_lru, donate_same_size, relieve_as_told>;

/// Looks at the memory that a failed row has left. Defined in account_for.hpp; the shipped placements are compiled in
/// account_*.cpp, since that takes long.
template <class P>
void account_for(const explained_memory<P>& memory, const failed_row& row, account& into);

/// Replays `load` once more, blocks having names, until a row fails; `into` stays as it is when none does.
template <class Manager>
void give_account(const trace::workload& load, const memory_spec& spec, account& into) {
    trace::replay<Manager> run(load, spec, trace::naming::ids);
    while (run.step()) {
    }
    if (run.at() == load.rows.size()) return;
    const Manager& memory = run.memory();
    failed_row row;
    row.load = &load;
    row.at = run.at();
    row.why = run.trouble();
    for (trace::id each = 0; each < load.ids.size(); ++each) row.buffers.push_back(run.buffer_of(each));
    row.manager = {Manager::name.c_str(), Manager::name.size()};
    row.evicts = policies_of<Manager>::evicts;
    row.donates = policies_of<Manager>::donates;
    using placement_type = typename detail::explained<typename Manager::placement_type>::type;
    const relieve_as_told policy{row.evicts};
    account_for<placement_type>(memory.template under<explained_memory<placement_type>>(policy), row, into);
}

}  // namespace hbm::compare
