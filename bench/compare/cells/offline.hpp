#pragma once

/// What a workload would need if everything were known beforehand: the yardstick beside all managers.

#include <cstdint>
#include <optional>

#include "compare/replay/figures.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// Memory for buffers whose lives are known, in bytes of whole quanta.
struct offline_figures {
    std::uint64_t bytes = 0;        ///< enough: there is a packing
    std::uint64_t bound_bytes = 0;  ///< no packing does with less

    [[nodiscard]] constexpr bool is_optimal() const noexcept { return bytes == bound_bytes; }
    /// What even this needs above the peak of live bytes, as far as it is known: fate.
    [[nodiscard]] constexpr std::uint64_t fate_bytes(const scenario& in) const noexcept {
        return bytes > in.min_bytes ? bytes - in.min_bytes : 0;
    }
    /// What a manager needs above it, because it does not know what comes; 0 where it needs less, as those that move
    /// blocks may. By the minimum capacity, or in unlimited memory by the footprint; empty where that is not known.
    [[nodiscard]] std::optional<std::uint64_t> not_knowing_bytes(const scenario& in,
                                                                 const trace::figures& found) const noexcept {
        const std::optional<std::uint64_t>& needs =
            in.how == limit::unlimited ? found.footprint_bytes : found.min_capacity_bytes;
        if (!found.completed || !needs) return std::nullopt;
        return *needs > bytes ? *needs - bytes : 0;
    }
};

/// Packs the buffers of a workload, with an effort that is bounded by steps: some seconds, or, where nobody asked for
/// it, some tenths of a second. Empty where lives are not known beforehand: with programs, because what is in memory
/// depends on who is evicted, and with pins and imports; and after an interrupt, which ends it.
[[nodiscard]] std::optional<offline_figures> offline_of(const scenario& in, bool is_asked);

}  // namespace hbm::compare
