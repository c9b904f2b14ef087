#pragma once

#include <hbm/core/program_record.hpp>
#include <hbm/core/search_budget.hpp>
#include <hbm/events/events.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/planning/problem.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// An eviction policy that scores, and a relief policy: the interface of the slow paths to what makes room.
class relief_interface {
public:
    victims choice = victims::none;   ///< victims of the eviction policy
    search_budget* budget = nullptr;  ///< limit of planning; null if only the limits of each search hold

    [[nodiscard]] virtual constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const = 0;
    [[nodiscard]] virtual constexpr std::optional<plan> choose(const planning_problem& problem) const = 0;

protected:
    constexpr ~relief_interface() = default;
};

/// The interface of the slow paths, which are compiled once a placement, to device, observer and eviction policy.
class policy_interface : public retirement_log {
public:
    bool has_bytes = false;                    ///< the device copies
    bool hears = false;                        ///< the observer receives events
    std::uint64_t heard_reservation = 0;       ///< bytes of the reservation reported last
    const relief_interface* relief = nullptr;  ///< null if blocks may not move and programs are never evicted for room

    virtual constexpr bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) = 0;
    virtual constexpr void on(const event& occurred) = 0;
    /// Passes the events added to the log to the observer.
    virtual constexpr void report_retired() = 0;
    /// Returns the eviction policy's credit of a program that is used at `now`.
    [[nodiscard]] virtual constexpr std::uint64_t credit(const program_record& record, std::uint64_t now) const = 0;
    virtual constexpr void evicted(const program_record& record) = 0;
    virtual constexpr void relieved(const plan& steps) = 0;

protected:
    constexpr ~policy_interface() = default;
};

}  // namespace hbm::inline v0
