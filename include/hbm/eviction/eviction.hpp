#pragma once

/// The contract of an eviction policy, which orders the programs to evict. The manager decides which blocks may be
/// evicted: never a buffer, and only programs that are loaded, not running and not the requester.
///
/// | expression              | result          | complexity | meaning                                                                             |
/// |-------------------------|-----------------|------------|-------------------------------------------------------------------------------------|
/// | `E{}`                   | `E`             |            | a regular value                                                                     |
/// | `E::name`               | `fixed_string`  |            | the type as a user would write it                                                   |
/// | `E::choice`             | `victims`       |            | `none`, `one_at_a_time` by score, or the cheapest `window`                          |
/// | `e.score(record, now)`  | `std::uint64_t` | O(1)       | the cost of losing the program; the lowest is evicted first. Needed unless `choice` |
/// |                         |                 |            | is `none`                                                                           |
/// | `e.credit(record, now)` | `std::uint64_t` | O(1)       | optional: the new `record.credit` at each load and run. `record.uses` includes this |
/// |                         |                 |            | use, `record.last_use` does not. Evicted programs keep their credit                 |
/// | `e.evicted(record)`     | -               | O(1)       | optional: the program was evicted                                                   |
///
/// `now` is the manager's clock: each load or run is a tick. Ties go to the lowest slot. If the sum over a window
/// overflows 64 bits, scores are added in coarser units.
///
/// `evict_in_order<S>` and `evict_window<S>` make a policy from a score, a type with all of the above except `choice`.
/// See policies.hpp for scores, their combinations and the policies made of them.

#include <hbm/core/fixed_string.hpp>
#include <hbm/core/member_names.hpp>
#include <hbm/core/program_record.hpp>
#include <hbm/core/regular_value.hpp>
#include <hbm/planning/plan.hpp>

#include <concepts>
#include <cstdint>

namespace hbm::inline v0 {

/// Facet: a type with a `choice`.
template <class E>
concept picks_victims = requires {
    { &E::choice } -> std::same_as<const victims*>;
};
/// Facet: a type that scores programs.
template <class E>
concept scores_programs = requires(const E policy, const program_record record, std::uint64_t now) {
    { policy.score(record, now) } -> std::same_as<std::uint64_t>;
};
/// Ability: to update a program's credit at each use.
template <class E>
concept gives_credit = requires(const E policy, const program_record record, std::uint64_t now) {
    { policy.credit(record, now) } -> std::same_as<std::uint64_t>;
};
/// Near miss: `credit` without the time as a parameter, or with another result type.
template <class E>
concept gives_credit_wrongly =
    !gives_credit<E> &&
    (
        requires(const E policy, const program_record record) { policy.credit(record); } ||
        requires(E policy, const program_record record, std::uint64_t now) { policy.credit(record, now); });
/// Ability: to receive evictions.
template <class E>
concept learns_from_evictions = requires(E policy, const program_record record) {
    policy.evicted(record);
};

/// True when the policy ever evicts.
template <class E>
concept evicts = picks_victims<E> &&(E::choice != victims::none);

/// A score: the cost of losing a program. An eviction policy without `choice`.
template <class S>
concept score = regular_value<S> && names_itself<S> && scores_programs<S> && !gives_credit_wrongly<S>;

template <class E>
concept eviction = regular_value<E> && names_itself<E> && picks_victims<E> &&
                   (!evicts<E> || scores_programs<E>)&&!gives_credit_wrongly<E> &&
                   (learns_from_evictions<E> || !detail::has_evicted<E>);

/// Fails to compile with a message for every part of the contract that `E` violates.
template <class E>
consteval bool check_eviction() {
    static_assert(regular_value<E>, "an eviction policy is a regular value: default-made, copied, compared with ==");
    static_assert(names_itself<E>,
                  "an eviction policy has a name: static constexpr hbm::fixed_string name{\"evict_mine\"};");
    static_assert(picks_victims<E>,
                  "an eviction policy has a choice of victims: static constexpr hbm::victims choice = "
                  "hbm::victims::one_at_a_time;");
    static_assert(!evicts<E> || scores_programs<E>,
                  "an eviction policy scores programs: std::uint64_t score(const hbm::program_record&, "
                  "std::uint64_t now) const, the lowest is evicted first");
    static_assert(!gives_credit_wrongly<E>,
                  "credit takes the time: std::uint64_t credit(const hbm::program_record&, std::uint64_t now) const");
    static_assert(learns_from_evictions<E> || !detail::has_evicted<E>,
                  "an eviction policy receives evictions: void evicted(const hbm::program_record&)");
    return eviction<E>;
}

/// Fails to compile with a message for every part of a score that `S` violates.
template <class S>
consteval bool check_score() {
    static_assert(regular_value<S>, "a score is a regular value: default-made, copied, compared with ==");
    static_assert(names_itself<S>, "a score has a name: static constexpr hbm::fixed_string name{\"my_score\"};");
    static_assert(scores_programs<S>,
                  "a score returns the cost of losing a program: std::uint64_t score(const hbm::program_record&, "
                  "std::uint64_t now) const, the lowest is evicted first");
    static_assert(!gives_credit_wrongly<S>,
                  "credit takes the time: std::uint64_t credit(const hbm::program_record&, std::uint64_t now) const");
    return score<S>;
}

/// The null policy: programs stay in memory until they are unloaded.
struct never_evict {
    static constexpr fixed_string name{"never_evict"};
    static constexpr victims choice = victims::none;

    friend constexpr bool operator==(const never_evict&, const never_evict&) = default;
};

static_assert(eviction<never_evict>);

}  // namespace hbm::inline v0
