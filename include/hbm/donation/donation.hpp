#pragma once

/// The contract of a donation policy, which assigns donated inputs, called donors, to outputs. The manager calls it for
/// each output in order, and decides if a buffer may be donated (live, without pins).
///
/// | expression                 | result         | complexity | meaning                                                                                       |
/// |----------------------------|----------------|------------|-----------------------------------------------------------------------------------------------|
/// | `D{}`                      | `D`            |            | a regular value                                                                               |
/// | `D::name`                  | `fixed_string` |            | the type as a user would write it                                                             |
/// | `d.choose(offered, size)`  | `std::size_t`  | O(offered) | optional: the index of the donor for an output of `size` quanta, or `no_donor`; else never    |
/// | `D::takes_first_of_a_size` | `true`         |            | optional: it takes the first donor of exactly that size, so the next search starts after it   |
///
/// `offered` holds the granted quanta of the donors in argument order, 0 for a donor that is taken or pinned; leading
/// ones may be omitted. The chosen donor must have at least `size` quanta; the excess is freed.

#include <hbm/core/fixed_string.hpp>
#include <hbm/core/member_names.hpp>
#include <hbm/core/regular_value.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0 {

/// The result of `choose` for an output that takes over no donor.
inline constexpr std::size_t no_donor = ~std::size_t{0};

/// Ability: to let outputs take over inputs.
template <class D>
concept donates = requires(const D policy, std::span<const std::uint64_t> offered, std::uint64_t size) {
    { policy.choose(offered, size) } -> std::same_as<std::size_t>;
};

/// Ability: to continue a search for the same size after the last donor found.
template <class D>
concept takes_first_of_a_size = donates<D> && requires {
    requires D::takes_first_of_a_size;
};

template <class D>
concept donation = regular_value<D> && names_itself<D> &&(donates<D> || !detail::has_choose<D>);

/// Fails to compile with a message for every part of the contract that `D` violates.
template <class D>
consteval bool check_donation() {
    static_assert(regular_value<D>, "a donation policy is a regular value: default-made, copied, compared with ==");
    static_assert(names_itself<D>,
                  "a donation policy has a name: static constexpr hbm::fixed_string name{\"donate_mine\"};");
    static_assert(donates<D> || !detail::has_choose<D>,
                  "choose is near but not right: std::size_t choose(std::span<const std::uint64_t> offered, "
                  "std::uint64_t size) const");
    return donation<D>;
}

}  // namespace hbm::inline v0
