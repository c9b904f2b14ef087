#pragma once

/// What a manager type is made of.

#include <hbm/manager.hpp>

#include <string_view>

namespace hbm::compare {

template <class Manager>
struct policies_of;

/// Of a manager type: what its policies can do, and the name of its placement.
template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
struct policies_of<manager<Placement, Eviction, Donation, Relief, Device, Events>> {
    static constexpr bool evicts = hbm::evicts<Eviction>;
    static constexpr bool donates = hbm::donates<Donation>;
    static constexpr bool moves = hbm::compacts<Placement>;
    static constexpr bool reserves = hbm::reserves<Placement>;
    static constexpr std::string_view placement{Placement::name.c_str(), Placement::name.size()};
    static constexpr std::string_view eviction{Eviction::name.c_str(), Eviction::name.size()};
    static constexpr std::string_view donation{Donation::name.c_str(), Donation::name.size()};
    static constexpr std::string_view relief{Relief::name.c_str(), Relief::name.size()};
};

}  // namespace hbm::compare
