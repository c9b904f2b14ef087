#include "compare/workloads/device_part.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace hbm::compare {

other_memories keep_device_part(trace::workload& load) {
    other_memories left_out;
    if (load.kinds.empty()) return left_out;
    std::vector<bool> is_elsewhere(load.ids.size());
    std::vector<std::uint64_t> sizes(load.ids.size());
    std::uint64_t live = 0;
    const auto keeps = [&](const trace::row& next) {
        if (next.what == trace::op::alloc && next.kind != 0) {
            ++left_out.buffers;
            is_elsewhere[next.subject] = true;
            sizes[next.subject] = next.bytes;
            live += next.bytes;
            left_out.peak_bytes = std::max(left_out.peak_bytes, live);
            return false;
        }
        if (next.what == trace::op::sync || !is_elsewhere[next.subject]) return true;
        if (next.what == trace::op::free) {
            live -= sizes[next.subject];
            is_elsewhere[next.subject] = false;  // its id may be used again
        }
        return false;
    };
    trace::row_list rows;
    trace::number_list times;
    trace::number_list lines;
    for (std::size_t at = 0; at < load.rows.size(); ++at) {
        const trace::row next = load.rows[at];
        if (!keeps(next)) continue;
        if (next.detail != trace::no_detail) {
            trace::operand_range& inputs = load.details[next.detail].inputs;
            const auto first = load.operands.begin() + static_cast<std::ptrdiff_t>(inputs.first);
            const auto end = std::remove_if(first, first + static_cast<std::ptrdiff_t>(inputs.count),
                                            [&](trace::id used) -> bool { return is_elsewhere[used]; });
            inputs.count = static_cast<std::uint32_t>(end - first);
        }
        rows.push_back(next);
        if (!load.times.empty()) times.push_back(load.times[at]);
        if (!load.lines.empty()) lines.push_back(load.lines[at]);
    }
    load.rows = std::move(rows);
    load.times = std::move(times);
    load.lines = std::move(lines);
    load.kinds.clear();
    return left_out;
}

}  // namespace hbm::compare
