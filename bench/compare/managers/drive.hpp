#pragma once

/// Entry of a manager type of one width.

#include <hbm/manager.hpp>

#include <memory>
#include <string_view>

#include "compare/managers/explain_failure.hpp"
#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

/// Returns the driver of a manager type. `Explains` is true if this width explains failures.
template <class Manager, bool Explains>
[[nodiscard]] constexpr driver drive() noexcept {
    driver made{.unlimited = &Manager::unlimited,
                .make = [](const memory_spec& spec, const policy_choices&) -> std::unique_ptr<trace::replayed_memory> {
                    return std::make_unique<trace::replayed<Manager>>(spec);
                }};
    if constexpr (Explains) made.explain = &explain<Manager>;
    return made;
}

namespace detail {

template <class Manager>
struct described;
template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
struct described<manager<Placement, Eviction, Donation, Relief, Device, Events>> {
    using type = manager<Placement, Eviction, Donation, Relief, Device, Events>;
    template <class Named>
    static constexpr std::string_view name_of{Named::name.c_str(), Named::name.size()};

    static constexpr manager_entry entry{.name = name_of<type>,
                                         .full_name = {type::full_name.c_str(), type::full_name.size()},
                                         .placement = name_of<Placement>,
                                         .eviction = name_of<Eviction>,
                                         .donation = name_of<Donation>,
                                         .relief = name_of<Relief>,
                                         .evicts = evicts<Eviction>,
                                         .donates = donates<Donation>,
                                         .moves = compacts<Placement>,
                                         .has_footprint = !reserves<Placement> && !heeds_lifetimes<Placement>,
                                         .shipped = false,
                                         .is_model = false,
                                         .narrow = {},
                                         .wide = {}};
};

}  // namespace detail

/// Returns the entry of a manager type of one width.
template <class Manager, bool Explains>
[[nodiscard]] constexpr manager_entry entry_of() noexcept {
    manager_entry made = detail::described<Manager>::entry;
    made.narrow = drive<Manager, Explains>();
    return made;
}

}  // namespace hbm::compare
