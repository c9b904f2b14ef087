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
#include <hbm/core/handle.hpp>
#include <hbm/core/member_names.hpp>
#include <hbm/core/regular_value.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <bit>
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

/// The null policy: donated inputs are freed after the run, and every output is allocated.
struct never_donate {
    static constexpr fixed_string name{"never_donate"};

    friend constexpr bool operator==(const never_donate&, const never_donate&) = default;
};

static_assert(donation<never_donate> && !donates<never_donate>);

/// XLA's rule: an output takes over the first donor of exactly its size on the device.
struct donate_same_size {
    static constexpr fixed_string name{"donate_same_size"};
    /// The next search for the same size may start after the last donor found, see donation.hpp.
    static constexpr bool takes_first_of_a_size = true;

    /// Returns the index of the donor in `offered`, or `no_donor`. Sizes are in quanta.
    /// Cost: O(offered).
    [[nodiscard]] constexpr std::size_t choose(std::span<const std::uint64_t> offered,
                                               std::uint64_t size) const noexcept {
        for (std::size_t i = 0; i < offered.size(); ++i)
            if (offered[i] == size) return i;
        return no_donor;
    }

    friend constexpr bool operator==(const donate_same_size&, const donate_same_size&) = default;
};

static_assert(donation<donate_same_size> && donates<donate_same_size>);

namespace detail {

/// Hash table of donors by size: finds the donor that `donate_same_size` would choose among thousands without a scan.
/// Keeps its memory between runs.
///
/// Donors with the same hash are linked in argument order, since `list` goes from the last to the first and puts each
/// in front. So the first link of a size is the first donor of that size, and a donor that was taken is unlinked.
class donors_by_size {
public:
    /// Reserves host memory for `donors` donors.
    constexpr void reserve(std::size_t donors) {
        first_.reserve(std::bit_ceil(donors + 1));
        next_.reserve(donors);
    }
    /// Inserts the donors, whose sizes are `offered`.
    /// Cost: O(donors).
    [[gnu::noinline]] constexpr void list(std::span<const std::uint64_t> offered) {
        const std::size_t hashes = std::bit_ceil(offered.size() + 1);
        first_.resize_for_overwrite(hashes);
        next_.resize_for_overwrite(offered.size());
        std::uint32_t* const firsts = first_.data();
        std::uint32_t* const nexts = next_.data();
        for (std::size_t at = 0; at < hashes; ++at) firsts[at] = no_index;
        for (std::size_t at = offered.size(); at-- > 0;) {
            std::uint32_t& first = firsts[hash(offered[at]) & (hashes - 1)];
            nexts[at] = first;
            first = static_cast<std::uint32_t>(at);
        }
    }
    /// Removes and returns the first donor of `size`, not 0, or `no_index`. Skips donors with another size in
    /// `offered`.
    /// Cost: O(1) on average.
    [[nodiscard]] constexpr std::uint32_t take(std::span<const std::uint64_t> offered, std::uint64_t size) noexcept {
        std::uint32_t* link = &first_[hash(size) & (first_.size() - 1)];
        while (*link != no_index && offered[*link] != size) link = &next_[*link];
        const std::uint32_t donor = *link;
        if (donor != no_index) *link = next_[donor];
        return donor;
    }

private:
    [[nodiscard]] static constexpr std::size_t hash(std::uint64_t size) noexcept {
        return static_cast<std::size_t>(size * 0x9e3779b97f4a7c15u >> 32);
    }

    trivial_vector<std::uint32_t> first_;  // first donor of each hash
    trivial_vector<std::uint32_t> next_;   // next donor with the same hash
};

}  // namespace detail

}  // namespace hbm::inline v0
