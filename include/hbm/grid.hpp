#pragma once

/// All combinations of given policies as a list of manager types, for experiments.

#include <hbm/donation/donation.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/placement.hpp>
#include <hbm/planning/relief.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace hbm::inline v0 {

/// The policies of each axis of a `grid`.
template <class...>
struct placements {};
template <class...>
struct evictions {};
template <class...>
struct donations {};
template <class...>
struct reliefs {};

template <class... Managers>
struct manager_list;

namespace detail {

/// Concatenates lists.
template <class... Lists>
struct joined_lists {
    using type = manager_list<>;
};
template <class... Managers>
struct joined_lists<manager_list<Managers...>> {
    using type = manager_list<Managers...>;
};
template <class... First, class... Second, class... Rest>
struct joined_lists<manager_list<First...>, manager_list<Second...>, Rest...> {
    using type = typename joined_lists<manager_list<First..., Second...>, Rest...>::type;
};

/// A list of one manager or none.
template <bool Kept, class Manager>
using kept_if = std::conditional_t<Kept, manager_list<Manager>, manager_list<>>;

}  // namespace detail

/// A list of manager types.
template <class... Managers>
struct manager_list {
    static constexpr std::size_t size = sizeof...(Managers);
    /// The `full_name` of each manager, in order.
    static constexpr std::array<const char*, size> names{Managers::full_name.c_str()...};
    template <class Manager>
    static constexpr bool contains = (std::same_as<Manager, Managers> || ...);

    /// Calls `visit.template operator()<Manager>()` for each manager, in order.
    template <class Visit>
    static constexpr void for_each(Visit visit) {
        (visit.template operator()<Managers>(), ...);
    }
    /// Returns the results of `make.template operator()<Manager>()` for each manager, in an array.
    template <class Make>
    [[nodiscard]] static constexpr auto map(Make make) {
        return std::array{make.template operator()<Managers>()...};
    }

    /// The managers for which `Keep<Manager>::value` is true.
    template <template <class> class Keep>
    using only = typename detail::joined_lists<detail::kept_if<Keep<Managers>::value, Managers>...>::type;
};

namespace detail {

/// True if the relief policy has an effect: it chooses among moves and evictions, of which one must be possible.
template <class Placement, class Eviction, class Relief>
// Relief without moves and evictions can only wait, under whatever policy: such managers would be equal under other
// names.
inline constexpr bool relief_can_matter =
    std::same_as<Relief, relieve_cheapest> || compacts<Placement> || evicts<Eviction>;

template <class Placement, class Eviction, class Donation, class... Reliefs>
using over_reliefs = typename joined_lists<
    kept_if<relief_can_matter<Placement, Eviction, Reliefs>, manager<Placement, Eviction, Donation, Reliefs>>...>::type;

template <class Placement, class Eviction, class Donations, class Reliefs>
struct over_donations;
template <class Placement, class Eviction, class... Donations, class... Reliefs>
struct over_donations<Placement, Eviction, donations<Donations...>, reliefs<Reliefs...>> {
    using type = typename joined_lists<over_reliefs<Placement, Eviction, Donations, Reliefs...>...>::type;
};

template <class Placement, class Evictions, class Donations, class Reliefs>
struct over_evictions;
template <class Placement, class... Evictions, class Donations, class Reliefs>
struct over_evictions<Placement, evictions<Evictions...>, Donations, Reliefs> {
    using type =
        typename joined_lists<typename over_donations<Placement, Evictions, Donations, Reliefs>::type...>::type;
};

template <class Placements, class Evictions, class Donations, class Reliefs>
struct grid_of {
    static_assert(std::same_as<Placements, void>,
                  "a grid has its axes in this order: grid<placements<...>, evictions<...>, donations<...>, "
                  "reliefs<...>>; those at the end may be left out");
};
template <class... Placements, class... Evictions, class... Donations, class... Reliefs>
struct grid_of<placements<Placements...>, evictions<Evictions...>, donations<Donations...>, reliefs<Reliefs...>> {
    using type =
        typename joined_lists<typename over_evictions<Placements, evictions<Evictions...>, donations<Donations...>,
                                                      reliefs<Reliefs...>>::type...>::type;
    static_assert((placement<Placements> && ...),
                  "a type in the placements<...> of a grid is not a placement: see check_placement<T>()");
    static_assert((eviction<Evictions> && ...),
                  "a type in the evictions<...> of a grid is not an eviction policy: see check_eviction<T>()");
    static_assert((donation<Donations> && ...),
                  "a type in the donations<...> of a grid is not a donation policy: see check_donation<T>()");
    static_assert((relief<Reliefs> && ...),
                  "a type in the reliefs<...> of a grid is not a relief policy: see check_relief<T>()");
};

}  // namespace detail

/// The managers of every combination as a `manager_list`, the last axis varying fastest.
///
///     using candidates = hbm::grid<hbm::placements<hbm::best_fit, hbm::buddy>,
///                                  hbm::evictions<hbm::never_evict, hbm::evict_lru>>;
///     candidates::for_each([]<class Manager>() { ... });
///
/// Skips relief policies other than the default if nothing may be moved or evicted. See also `manager_list::only`.
template <class Placements, class Evictions = evictions<never_evict>, class Donations = donations<never_donate>,
          class Reliefs = reliefs<relieve_cheapest>>
using grid = typename detail::grid_of<Placements, Evictions, Donations, Reliefs>::type;

}  // namespace hbm::inline v0
