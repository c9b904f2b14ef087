#pragma once

/// What stands after an entry: a manager type, and how to replay with it.

#include <hbm/trace/replay.hpp>

#include "compare/give_account.hpp"
#include "compare/manager_entry.hpp"
#include "compare/policies_of.hpp"

namespace hbm::compare {

namespace detail {

template <class Manager, bool Explains>
[[nodiscard]] constexpr driver drive() noexcept {
    driver made{&Manager::unlimited, &trace::measure<Manager>, &trace::completes<Manager>, &trace::time<Manager>};
    if constexpr (Explains) made.explain = &give_account<Manager>;
    return made;
}

}  // namespace detail

/// The entry of a manager type of one width. `Explains` says that failures are explained over this width.
template <class Manager, bool Explains>
[[nodiscard]] constexpr manager_entry entry_of() noexcept {
    using policies = policies_of<Manager>;
    return {.name = {Manager::name.c_str(), Manager::name.size()},
            .full_name = {Manager::full_name.c_str(), Manager::full_name.size()},
            .placement = policies::placement,
            .eviction = policies::eviction,
            .donation = policies::donation,
            .relief = policies::relief,
            .evicts = policies::evicts,
            .donates = policies::donates,
            .moves = policies::moves,
            .reserves = policies::reserves,
            .shipped = false,
            .narrow = detail::drive<Manager, Explains>(),
            .wide = {}};
}

}  // namespace hbm::compare
