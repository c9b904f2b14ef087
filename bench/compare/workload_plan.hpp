#pragma once

/// A plan that is made for a workload.

#include <hbm/placement/sequence_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace hbm::compare {

/// Why there is no plan for a workload.
enum class no_plan : std::uint8_t {
    is_made,       ///< there is one
    not_asked,     ///< making it takes long, and no manager was asked for by name
    too_long,      ///< the workload has too many rows
    no_steps,      ///< nothing repeats in the rows that it would be made from
    best_fit_can,  ///< best fit needs less for these rows than the plan that was found
};

/// A plan from the first third of the rows of a workload. It never changes once it is made, so all replays share it.
struct workload_plan {
    std::string group;     ///< of the managers that follow it, see `plan_group`
    std::size_t rows = 0;  ///< it is made from so many rows
    sequence_plan plan;    ///< empty if there is none
    no_plan why_none = no_plan::is_made;
    std::optional<std::uint64_t> us;  ///< the processor time that making it took, where times are asked for

    [[nodiscard]] bool exists() const noexcept { return why_none == no_plan::is_made; }
};

}  // namespace hbm::compare
