#pragma once

#include <string>
#include <vector>

#include "compare/export/viewer_file.hpp"

namespace hbm::compare {

/// Memory after each row as CSV, for each workload and manager: `workload,manager,capacity_bytes,quantum_bytes,row,t,
/// used,free,largest_free,highest_end,fragmentation,moves,evictions`. Bytes; moves and evictions are those so far. `t`
/// is empty if the trace has no times; capacity, free, largest_free and fragmentation are empty without a limit. Axes
/// of a sweep that have several values have the columns of the result after `quantum_bytes`: `capacity_asked`, `seed`.
class series_file final : public viewer_file {
public:
    using viewer_file::viewer_file;
    void add(const recorded_cell& each) override;
    [[nodiscard]] std::string finish() override;

private:
    void begin(const std::vector<axis_value>& axes);

    bool has_begun_ = false;
};

}  // namespace hbm::compare
