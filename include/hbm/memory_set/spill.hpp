#pragma once

/// The contract of a spill policy, which chooses the memory of a buffer if the wanted one has no hole for it at once.
///
/// | expression         | result         | meaning                                                                     |
/// |--------------------|----------------|-----------------------------------------------------------------------------|
/// | `S::name`          | `fixed_string` | the type as a user would write it                                           |
/// | `s.choose(places)` | `std::size_t`  | optional: the index of the memory in `places`; absent: always the wanted one |
///
/// `places` is a `std::span<const spill_place>`: the wanted memory, then those behind it in the order of the set. So a
/// set lists its kinds from the fastest to the largest. Each place has the price of relief there. The choice of a place
/// without room counts as the wanted memory, in which the call then fails. Outputs of runs do not spill.

#include <hbm/core/bytes.hpp>
#include <hbm/core/fixed_string.hpp>
#include <hbm/core/member_names.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/regular_value.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0 {

/// A memory in which a buffer could be placed.
struct spill_place {
    static constexpr std::uint64_t no_room = ~std::uint64_t{0};

    const char* kind = "";
    std::uint64_t bytes = 0;                     ///< requested
    std::uint64_t relief_nanoseconds = no_room;  ///< price of relief there; 0: it fits; `no_room`: there is no plan

    [[nodiscard]] constexpr bool has_room() const noexcept { return relief_nanoseconds != no_room; }
};

/// Ability: it chooses among memories.
template <class S>
concept spills = requires(const S policy, std::span<const spill_place> places) {
    { policy.choose(places) } -> std::same_as<std::size_t>;
};
template <class S>
concept spill = regular_value<S> && names_itself<S> &&(spills<S> || !detail::has_choose<S>);

/// Fails to compile with a message for every part of the contract that `S` violates.
template <class S>
consteval bool check_spill() {
    static_assert(regular_value<S>, "a spill policy is a regular value: default-made, copied, compared with ==");
    static_assert(names_itself<S>,
                  "a spill policy has a name: static constexpr hbm::fixed_string name{\"spill_mine\"};");
    static_assert(spills<S> || !detail::has_choose<S>,
                  "a spill policy chooses: std::size_t choose(std::span<const hbm::spill_place>) const");
    return spill<S>;
}

/// Never spills: a buffer lies in the wanted memory, or the call fails.
struct never_spill {
    static constexpr fixed_string name{"never_spill"};

    friend constexpr bool operator==(const never_spill&, const never_spill&) = default;
};

/// Spills only if relief cannot make room in the wanted memory: into the first memory behind it that has room.
struct spill_in_order {
    static constexpr fixed_string name{"spill_in_order"};

    [[nodiscard]] constexpr std::size_t choose(std::span<const spill_place> places) const noexcept {
        std::size_t chosen = 0;
        while (chosen < places.size() && !places[chosen].has_room()) ++chosen;
        return chosen;
    }
    friend constexpr bool operator==(const spill_in_order&, const spill_in_order&) = default;
};

/// Spills if that is cheaper than relief in the wanted memory, or if there is no such relief. The price of a spill is
/// that of relief in the other memory and `uses` transfers of the buffer over a link. Ties go to the first memory.
struct spill_if_cheaper {
    static constexpr fixed_string name{"spill_if_cheaper"};

    std::uint64_t uses = 1;                           ///< transfers of a buffer until it is freed
    std::uint64_t bytes_per_second = 16'000'000'000;  ///< of the link; an assumption, that of `memory_spec::host_link`

    [[nodiscard]] constexpr std::size_t choose(std::span<const spill_place> places) const noexcept {
        const memory_spec link{.host_link = bytes_per_second};
        std::size_t chosen = 0;
        std::uint64_t least = spill_place::no_room;
        for (std::size_t at = 0; at < places.size(); ++at) {
            std::uint64_t price = places[at].relief_nanoseconds;
            if (!places[at].has_room()) continue;
            if (at != 0)
                price = saturating_add(price, saturating_multiply(uses, link.reload_nanoseconds(places[at].bytes)));
            if (price < least || !places[chosen].has_room()) chosen = at, least = price;
        }
        return chosen;
    }
    friend constexpr bool operator==(const spill_if_cheaper&, const spill_if_cheaper&) = default;
};

static_assert(check_spill<never_spill>() && check_spill<spill_in_order>() && check_spill<spill_if_cheaper>());
static_assert(!spills<never_spill> && spills<spill_in_order> && spills<spill_if_cheaper>);

}  // namespace hbm::inline v0
