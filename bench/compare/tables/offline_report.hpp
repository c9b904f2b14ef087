#pragma once

/// Packs the compared workloads with all lives given beforehand, and reports the loss of managers that are online.

#include <memory>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/command_line/options.hpp"
#include "compare/tables/report.hpp"

namespace hbm::compare {

/// Returns true if workloads are to be packed: with `--offline`, or if a single workload of few rows is printed as
/// text. A large trace takes seconds.
[[nodiscard]] bool wants_offline(const options& settings, const std::vector<comparison>& all);

/// Packs each workload, on the requested number of cores; with less effort without `--offline`. An interrupt leaves
/// those that were packed before it.
void pack_offline(const options& settings, std::vector<comparison>& all);

/// Returns the packing as a row of the table, with its bytes as capacity and as footprint. Null if the needs of
/// managers are not measured, and for a workload that was not packed.
[[nodiscard]] std::shared_ptr<const trace::figures> offline_row(const comparison& compared);

/// Entry for the row of the packing.
inline constexpr manager_entry offline_entry = [] {
    manager_entry manager{};
    manager.name = manager.full_name = "offline";
    return manager;
}();

/// Returns sentences about the packing: its need, the part of it above the peak (fate), and the need of managers beyond
/// it (not knowing) if that was measured. Empty without buffers, and for a workload that was not packed.
[[nodiscard]] std::string packing_note(const comparison& compared, const std::vector<folded_row>& rows);

}  // namespace hbm::compare
