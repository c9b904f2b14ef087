#include "compare/read/xla/assignment/assignment.hpp"

#include <hbm/core/bytes.hpp>

namespace hbm::imported::xla {

std::uint64_t output_table_bytes(const assignment& of) {
    std::vector<bool> has_table(of.allocations.size(), false);
    for (const buffer_value& each : of.values)
        if (each.is_table()) has_table[each.allocation] = true;
    for (const assigned_output& each : of.outputs) has_table[each.allocation] = false;
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < of.allocations.size(); ++at) {
        const allocation& each = of.allocations[at];
        const bool is_table = has_table[at] || (each.has_result && each.shape.starts_with('('));
        if (is_table && each.is_live_out && !each.parameter && each.color == hbm_color)
            sum = saturating_add(sum, each.size.bytes);
    }
    return sum;
}

}  // namespace hbm::imported::xla
