#pragma once

/// What a workload would need if everything were known beforehand: the yardstick beside all managers.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/folded.hpp"
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

/// How much of what managers need above the peak is fate, and how much is not knowing; empty without buffers.
[[nodiscard]] std::string offline_words(const scenario& in, const std::vector<folded_row>& rows);

}  // namespace hbm::compare
