#pragma once

/// What a workload would need if everything were known beforehand: the yardstick beside all managers.

#include <cstdint>
#include <optional>

#include "compare/workloads.hpp"

namespace hbm::compare {

/// Memory for buffers whose lives are known, in bytes of whole quanta.
struct offline_figures {
    std::uint64_t bytes = 0;        ///< enough: there is a packing
    std::uint64_t bound_bytes = 0;  ///< no packing does with less

    [[nodiscard]] constexpr bool is_optimal() const noexcept { return bytes == bound_bytes; }
};

/// Packs the buffers of a workload, with an effort that is bounded by steps. Empty where lives are not known
/// beforehand: with programs, because what is in memory depends on who is evicted, and with pins and imports.
[[nodiscard]] std::optional<offline_figures> offline_of(const scenario& in);

}  // namespace hbm::compare
