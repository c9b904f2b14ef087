#pragma once

/// A manager's policies, device and observer as its seldom taken paths see them: what those do is compiled once a
/// placement, not once a manager.

#include <hbm/core/program_record.hpp>
#include <hbm/core/search_budget.hpp>
#include <hbm/events/events.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/state/memory_state.hpp>
#include <hbm/state/plan.hpp>

#include <cstdint>
#include <optional>

namespace hbm {

template <class Problem>
class basic_planner;
struct planning_problem;
using planner = basic_planner<planning_problem>;

/// The part of it that makes room: an eviction policy that scores, and a relief policy.
class relief_interface {
public:
    victims choice = victims::none;   ///< how the eviction policy picks
    search_budget* budget = nullptr;  ///< what planning may take; null where only the limits of each search hold

    /// What losing a program costs.
    [[nodiscard]] virtual constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const = 0;
    /// The relief policy's choice among the plans that there are.
    [[nodiscard]] virtual constexpr std::optional<plan> choose(const planner& ways) const = 0;
    /// Tells the relief policy that a plan was carried out.
    virtual constexpr void relieved(const plan& steps) = 0;

protected:
    constexpr relief_interface() = default;
    relief_interface(const relief_interface&) = delete;
    relief_interface& operator=(const relief_interface&) = delete;
    constexpr ~relief_interface() = default;
};

/// What every manager has: a device, an observer, and an eviction policy that learns.
class policy_interface : public retirement_log {
public:
    bool has_bytes = false;               ///< the device copies
    bool hears = false;                   ///< the observer hears events
    std::uint64_t heard_reservation = 0;  ///< the bytes reserved that the observer knows of
    relief_interface* relief = nullptr;   ///< null where blocks may not move and programs are never evicted for room

    /// Copies on the device. False: it failed.
    virtual constexpr bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) = 0;
    /// Tells the observer.
    virtual constexpr void on(const event& occurred) = 0;
    /// Passes what was added to the observer.
    virtual constexpr void report_retired() = 0;
    /// The eviction policy's word about a program that is used at `now`.
    [[nodiscard]] virtual constexpr std::uint64_t credit(const program_record& record, std::uint64_t now) const = 0;
    /// Tells the eviction policy that a program was evicted.
    virtual constexpr void evicted(const program_record& record) = 0;

protected:
    constexpr policy_interface() = default;
    policy_interface(const policy_interface&) = delete;
    policy_interface& operator=(const policy_interface&) = delete;
    constexpr ~policy_interface() = default;
};

}  // namespace hbm
