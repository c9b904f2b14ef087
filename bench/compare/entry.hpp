#pragma once

/// Makes an entry of a manager type.

#include <hbm/manager.hpp>
#include <hbm/trace/replay.hpp>

#include <type_traits>

#include "compare/manager_entry.hpp"

namespace hbm::compare {

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

/// The entry of a manager type. `Wide` is the same manager over 64-bit quanta; without it, capacities beyond 2^32 - 1
/// quanta fail.
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
