#pragma once

/// Replays until a row fails, and has an account given of that.

#include <hbm/core/specs.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/trace/replay.hpp>

#include <cstddef>
#include <cstdint>
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
    program runs = {};                 ///< the program, if it was a run that was tried
    run_spec asked = {};
    std::vector<std::uint32_t> donors = {};  ///< for each output of the run which donated input it takes over
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
struct explained<compacting<P>> {
    using type = compacting<typename explained<P>::type>;
};
template <class P, scratch_sharing Sharing>
struct explained<bottom_reserve<P, Sharing>> {
    using type = bottom_reserve<typename explained<P>::type, Sharing>;
};

}  // namespace detail

/// A memory of which an account is given: policies that do nothing by themselves but what the placement permits, and
/// take what is donated.
template <class P>
using explained_memory = manager<P, never_evict, donate_same_size>;

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
    const trace::row& failed = load.rows[row.at];
    if (failed.what == trace::op::run && memory.check(run.program_of(failed.subject)) == error::none) {
        row.runs = run.program_of(failed.subject);
        row.asked = run.asked();
        auto fork = memory.fork();
        const auto donors = fork.donors_of(row.asked);
        row.donors.assign(donors.begin(), donors.end());
    }
    row.manager = {Manager::name.c_str(), Manager::name.size()};
    row.evicts = policies_of<Manager>::evicts;
    row.donates = policies_of<Manager>::donates;
    using placement_type = typename detail::explained<typename Manager::placement_type>::type;
    account_for<placement_type>(memory.template under<explained_memory<placement_type>>(), row, into);
}

}  // namespace hbm::compare
