#pragma once

/// The contract of an eviction policy: which programs go first. Buffers are never evicted, and which programs may be
/// evicted at all (loaded, not running, not the one that memory is wanted for) is not the policy's business.
///
/// | expression             | result          | complexity | meaning                                                                                |
/// |------------------------|-----------------|------------|----------------------------------------------------------------------------------------|
/// | `E{}`                  | `E`             |            | a regular value                                                                        |
/// | `E::name`              | `fixed_string`  |            | the type as a user would write it                                                      |
/// | `E::choice`            | `victims`       |            | `none`, `one_at_a_time` by score, or the cheapest `window`                             |
/// | `e.score(record, now)` | `std::uint64_t` | O(1)       | what losing the program costs; the lowest goes first. Needed unless `choice` is `none` |
/// | `e.credit(record)`     | `std::uint64_t` | O(1)       | optional: called at each load and run, kept in `record.credit`                         |
/// | `e.evicted(record)`    | -               | O(1)       | optional: the program was evicted                                                      |

#include <hbm/core/fixed_string.hpp>
#include <hbm/core/program_record.hpp>

#include <concepts>
#include <cstdint>

namespace hbm {

/// How victims are picked from their scores.
enum class victims : std::uint8_t {
    none,           ///< nobody is evicted
    one_at_a_time,  ///< the lowest score first until the request fits; whoever went in vain comes back
    window,         ///< the contiguous stretch of programs and holes with the least sum of scores
};

/// Facet: it has a name.
template <class E>
concept eviction_names_itself = requires {
    { E::name.c_str() } -> std::same_as<const char*>;
};
/// Facet: it says how victims are picked.
template <class E>
concept picks_victims = requires {
    { E::choice } -> std::convertible_to<victims>;
};
/// Facet: it scores programs.
template <class E>
concept scores_programs = requires(const E policy, const program_record record, std::uint64_t now) {
    { policy.score(record, now) } -> std::same_as<std::uint64_t>;
};
/// Ability: it renews a word of its own at every use of a program.
template <class E>
concept gives_credit = requires(const E policy, const program_record record) {
    { policy.credit(record) } -> std::same_as<std::uint64_t>;
};
/// Ability: it learns from evictions.
template <class E>
concept learns_from_evictions = requires(E policy, const program_record record) {
    policy.evicted(record);
};

/// True when the policy evicts at all.
template <class E>
concept evicts = picks_victims<E> &&(E::choice != victims::none);

/// An eviction policy.
template <class E>
concept eviction = std::regular<E> && eviction_names_itself<E> && picks_victims<E> &&(!evicts<E> || scores_programs<E>);

/// Words every miss of the contract.
template <class E>
consteval bool check_eviction() {
    static_assert(std::regular<E>, "an eviction policy is a regular value: default-made, copied, compared with ==");
    static_assert(eviction_names_itself<E>,
                  "an eviction policy has a name: static constexpr hbm::fixed_string name{\"evict_mine\"};");
    static_assert(picks_victims<E>,
                  "an eviction policy says how victims are picked: static constexpr hbm::victims choice = "
                  "hbm::victims::one_at_a_time;");
    static_assert(!evicts<E> || scores_programs<E>,
                  "an eviction policy scores programs: std::uint64_t score(const hbm::program_record&, "
                  "std::uint64_t now) const, the lowest goes first");
    return eviction<E>;
}

}  // namespace hbm
