#pragma once

/// The contract of an eviction policy: which programs go first. Buffers are never evicted, and which programs may be
/// evicted at all (loaded, not running, not the one that memory is wanted for) is not the policy's business.
///
/// | expression              | result          | complexity | meaning                                                                                |
/// |-------------------------|-----------------|------------|----------------------------------------------------------------------------------------|
/// | `E{}`                   | `E`             |            | a regular value                                                                        |
/// | `E::name`               | `fixed_string`  |            | the type as a user would write it                                                      |
/// | `E::choice`             | `victims`       |            | `none`, `one_at_a_time` by score, or the cheapest `window`                             |
/// | `e.score(record, now)`  | `std::uint64_t` | O(1)       | what losing the program costs; the lowest goes first. Needed unless `choice` is `none` |
/// | `e.credit(record, now)` | `std::uint64_t` | O(1)       | optional: called at each load and run, before `now` becomes `record.last_use`, this use already in `record.uses`; kept in `record.credit`, also while the program is evicted |
/// | `e.evicted(record)`     | -               | O(1)       | optional: the program was evicted                                                      |
///
/// `now` is the manager's clock, one tick a load or run. Scores may be any numbers: of equal ones the program in the
/// lowest slot goes first, and sums over a window are made of coarser units where 64 bits would not hold them.
///
/// A policy need not be written as a whole. What programs are worth is a score, all of the above but `choice`: the
/// parts in scores.hpp, their combinations, or one of your own. `evict_in_order<S>` and `evict_window<S>` make a policy
/// of it.

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
concept gives_credit = requires(const E policy, const program_record record, std::uint64_t now) {
    { policy.credit(record, now) } -> std::same_as<std::uint64_t>;
};
/// Near miss: credit that does not ask for the time, or is no word.
template <class E>
concept gives_credit_wrongly =
    !gives_credit<E> &&
    (
        requires(const E policy, const program_record record) { policy.credit(record); } ||
        requires(E policy, const program_record record, std::uint64_t now) { policy.credit(record, now); });
/// Ability: it learns from evictions.
template <class E>
concept learns_from_evictions = requires(E policy, const program_record record) {
    policy.evicted(record);
};

/// True when the policy evicts at all.
template <class E>
concept evicts = picks_victims<E> &&(E::choice != victims::none);

/// What programs are worth, the lowest first: a part of an eviction policy.
template <class S>
concept score = std::regular<S> && eviction_names_itself<S> && scores_programs<S> && !gives_credit_wrongly<S>;

/// An eviction policy.
template <class E>
concept eviction = std::regular<E> && eviction_names_itself<E> && picks_victims<E> &&
    (!evicts<E> || scores_programs<E>)&&!gives_credit_wrongly<E>;

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
    static_assert(!gives_credit_wrongly<E>,
                  "credit knows the time: std::uint64_t credit(const hbm::program_record&, std::uint64_t now) const");
    return eviction<E>;
}

/// Words every miss of a score.
template <class S>
consteval bool check_score() {
    static_assert(std::regular<S>, "a score is a regular value: default-made, copied, compared with ==");
    static_assert(eviction_names_itself<S>,
                  "a score has a name: static constexpr hbm::fixed_string name{\"my_score\"};");
    static_assert(scores_programs<S>,
                  "a score says what losing a program costs: std::uint64_t score(const hbm::program_record&, "
                  "std::uint64_t now) const, the lowest goes first");
    static_assert(!gives_credit_wrongly<S>,
                  "credit knows the time: std::uint64_t credit(const hbm::program_record&, std::uint64_t now) const");
    return score<S>;
}

}  // namespace hbm
