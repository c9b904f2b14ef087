#pragma once

/// The contract of a donation policy: which output takes over which donated input. Decided output by output, in order;
/// a donor that is taken is offered no more. Whether a buffer may be donated at all (alive, not pinned from outside) is
/// not the policy's business.
///
/// | expression                 | result         | complexity | meaning                                                                                                      |
/// |----------------------------|----------------|------------|--------------------------------------------------------------------------------------------------------------|
/// | `D{}`                      | `D`            |            | a regular value                                                                                              |
/// | `D::name`                  | `fixed_string` |            | the type as a user would write it                                                                            |
/// | `d.choose(offered, size)`  | `std::size_t`  | O(offered) | optional: index of the donor that an output of `size` quanta takes over, or `no_donor`; absence means: never |
/// | `D::takes_first_of_a_size` | `true`         |            | optional: it takes the first donor of just that size, so that a search goes on where the last one ended      |
///
/// `offered` holds the granted quanta of the donors in argument order, 0 for one that is taken or pinned; taken ones at
/// the beginning may be left out, and the result counts from what was offered.
/// The chosen donor has at least `size` quanta; what it has more is given back.

#include <hbm/core/fixed_string.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm {

inline constexpr std::size_t no_donor = ~std::size_t{0};

/// Facet: it has a name.
template <class D>
concept donation_names_itself = requires {
    { D::name.c_str() } -> std::same_as<const char*>;
};
/// Ability: it lets outputs take over inputs.
template <class D>
concept donates = requires(const D policy, std::span<const std::uint64_t> offered, std::uint64_t size) {
    { policy.choose(offered, size) } -> std::same_as<std::size_t>;
};

/// Ability: searches for one size need not begin anew.
template <class D>
concept takes_first_of_a_size = donates<D> && requires {
    requires D::takes_first_of_a_size;
};

/// A donation policy.
template <class D>
concept donation = std::regular<D> && donation_names_itself<D> &&(donates<D> || !requires { &D::choose; });

/// Words every miss of the contract.
template <class D>
consteval bool check_donation() {
    static_assert(std::regular<D>, "a donation policy is a regular value: default-made, copied, compared with ==");
    static_assert(donation_names_itself<D>,
                  "a donation policy has a name: static constexpr hbm::fixed_string name{\"donate_mine\"};");
    static_assert(
        donates<D> || !requires { &D::choose; }, "choose is near but not right: std::size_t choose(std::span<const "
                                                 "std::uint64_t> offered, std::uint64_t size) const");
    return donation<D>;
}

}  // namespace hbm
