#pragma once

/// Makes an entry of a manager type.

#include <hbm/manager.hpp>

#include <limits>
#include <memory>
#include <string_view>

#include "compare/managers/explain.hpp"
#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

namespace detail {

template <class Manager>
struct described;
template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
struct described<manager<Placement, Eviction, Donation, Relief, Device, Events>> {
    using type = manager<Placement, Eviction, Donation, Relief, Device, Events>;
    template <class Named>
    static constexpr std::string_view name_of{Named::name.c_str(), Named::name.size()};

    static constexpr manager_entry entry{
        .name = name_of<type>,
        .full_name = {type::full_name.c_str(), type::full_name.size()},
        .placement = name_of<Placement>,
        .eviction = name_of<Eviction>,
        .donation = name_of<Donation>,
        .relief = name_of<Relief>,
        .evicts = evicts<Eviction>,
        .donates = donates<Donation>,
        .moves = compacts<Placement>,
        .has_footprint = !reserves<Placement> && !heeds_lifetimes<Placement>,
        .max_quanta =
            std::numeric_limits<typename Placement::quanta>::max() / (sizeof(typename Placement::quanta) == 8 ? 2 : 1),
        .unlimited = &type::unlimited,
        .make = [](const memory_spec& spec, const policy_choices&) -> std::unique_ptr<trace::replayed_memory> {
            return std::make_unique<trace::replayed<type>>(spec);
        }};
};

}  // namespace detail

/// Returns the entry of a manager type, without its explanation.
template <class Manager>
[[nodiscard]] constexpr manager_entry entry_without_explanation() noexcept {
    return detail::described<Manager>::entry;
}

/// Returns the entry of a manager type. Over 32-bit quanta, capacities beyond 2^32 - 1 quanta fail.
template <class Manager>
[[nodiscard]] constexpr manager_entry entry() noexcept {
    manager_entry made = entry_without_explanation<Manager>();
    made.explain = &explain<Manager>;
    return made;
}

}  // namespace hbm::compare
