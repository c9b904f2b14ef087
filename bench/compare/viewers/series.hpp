#pragma once

#include <string>

#include "compare/viewers/viewer_file.hpp"

namespace hbm::compare {

/// Memory after each row as CSV, for each workload and manager: `workload,manager,capacity_bytes,quantum_bytes,row,t,
/// used,free,largest_free,highest_end,fragmentation,moves,evictions`. Bytes; moves and evictions are those so far. `t`
/// is empty if the trace has no times; capacity, free, largest_free and fragmentation are empty without a limit.
class series_file final : public viewer_file {
public:
    explicit series_file(destination& to);
    void add(const recorded_cell& each) override;
    [[nodiscard]] std::string finish() override { return out().finish(); }
};

}  // namespace hbm::compare
