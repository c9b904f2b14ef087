#pragma once
/// Memory of a workload if all lives are given beforehand: the yardstick for all managers.

#include <cstdint>
#include <optional>
#include <string>

#include "compare/replay/figures.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// Memory for buffers with given lives, in bytes of whole quanta.
struct offline_figures {
    std::uint64_t bytes = 0;        ///< sufficient memory: there is a packing
    std::uint64_t bound_bytes = 0;  ///< lower bound: no packing needs less

    /// Returns the memory that even the packing needs above the peak of live bytes, as far as known: fate.
    [[nodiscard]] std::uint64_t fate_bytes(const scenario& in) const noexcept;
    /// Returns the memory that a manager needs above the packing, because it is online; 0 if it needs less, as managers
    /// that move blocks may. Compares the minimum capacity or, in unlimited memory, the footprint. Empty if unknown.
    [[nodiscard]] std::optional<std::uint64_t> not_knowing_bytes(const scenario& in,
                                                                 const trace::figures& found) const noexcept;
};

/// Packs the buffers of a workload. Its effort is bounded by steps: some seconds if `is_asked`, or else some tenths of
/// a second. Empty if lives are not given beforehand: with programs, because memory depends on evictions, and with pins
/// and imports. Also empty after an interrupt, which ends it.
[[nodiscard]] std::optional<offline_figures> offline_of(const scenario& load, bool is_asked);

/// Returns a sentence about the packing.
[[nodiscard]] std::string packing_note(const scenario& load, const offline_figures& packing);

}  // namespace hbm::compare
