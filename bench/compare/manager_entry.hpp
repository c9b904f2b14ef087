#pragma once

/// What hbm_compare knows of a manager: its names, what it can do, and how to replay a workload with it. A value, so that shipped managers and
/// a user's own stand in one list.

#include <hbm/manager.hpp>
#include <hbm/trace/replay.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace hbm::compare {

/// How to replay with one manager type. Empty pointers: there is no such type.
struct driver {
    memory_spec (*unlimited)(std::uint64_t quantum) = nullptr;
    trace::figures (*measure)(const trace::workload&, const memory_spec&, bool is_unlimited) = nullptr;
    bool (*completes)(const trace::workload&, const memory_spec&) = nullptr;
    double (*time)(const trace::workload&, const memory_spec&) = nullptr;
};

/// A manager of the comparison. Names live as long as the program.
struct manager_entry {
    std::string_view name;       ///< `placement/eviction/donation` without trailing null policies
    std::string_view full_name;  ///< the same with them
    std::string_view placement;
    bool evicts = false;
    bool donates = false;
    bool moves = false;
    bool reserves = false;  ///< places from the top, so that it has no footprint and is compared by its minimum capacity
    bool shipped = false;   ///< known to differ from another shipped manager only by what its policies say
    driver narrow;          ///< over 32-bit quanta
    driver wide;            ///< over 64-bit quanta; may be empty
};

namespace detail {

template <class Manager>
struct policies_of;

template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
struct policies_of<manager<Placement, Eviction, Donation, Relief, Device, Events>> {
    static constexpr bool evicts = hbm::evicts<Eviction>;
    static constexpr bool donates = hbm::donates<Donation>;
    static constexpr bool moves = hbm::compacts<Placement>;
    static constexpr bool reserves = hbm::reserves<Placement>;
    static constexpr std::string_view placement{Placement::name.c_str(), Placement::name.size()};
};

template <class Manager>
[[nodiscard]] constexpr driver drive() noexcept {
    return {&Manager::unlimited, &trace::measure<Manager>, &trace::completes<Manager>, &trace::time<Manager>};
}

}  // namespace detail

/// The entry of a manager type. `Wide` is the same manager over 64-bit quanta; without it, capacities beyond 2^32 - 1 quanta fail.
template <class Narrow, class Wide = Narrow>
[[nodiscard]] constexpr manager_entry entry() noexcept {
    using policies = detail::policies_of<Narrow>;
    manager_entry made{.name = {Narrow::name.c_str(), Narrow::name.size()},
                       .full_name = {Narrow::full_name.c_str(), Narrow::full_name.size()},
                       .placement = policies::placement,
                       .evicts = policies::evicts,
                       .donates = policies::donates,
                       .moves = policies::moves,
                       .reserves = policies::reserves,
                       .shipped = false,
                       .narrow = detail::drive<Narrow>(),
                       .wide = {}};
    if constexpr (!std::is_same_v<Narrow, Wide>) made.wide = detail::drive<Wide>();
    return made;
}

}  // namespace hbm::compare
