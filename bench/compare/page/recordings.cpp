#include "compare/page/recordings.hpp"

#include <algorithm>
#include <memory>

#include "compare/page/curves.hpp"
#include "compare/page/packed/bytes.hpp"
#include "compare/page/packed/packed_history.hpp"
#include "compare/page/packed/trace_blocks.hpp"
#include "compare/page/picture.hpp"
#include "compare/replay/history.hpp"

namespace hbm::compare {

namespace {

recording record_cell(const cell& of, const scenario& in, const std::vector<trace_block>& blocks) {
    const std::unique_ptr<trace::replayed_memory> memory = memory_of(of);
    const trace::history made = trace::record_history(in.load, *memory, of.spec.quantum);
    recording kept;
    for (const trace::recorded_reading& each : made.readings) kept.highest = std::max(kept.highest, each.highest_end);
    if (const std::optional<std::string> packed = packed_history(made, in.load, blocks, of.spec.quantum))
        kept.packed = base64(zlib_stream(*packed));
    const std::uint64_t top = of.found.capacity_bytes ? made.capacity : kept.highest;
    // A little more than was replayed, so that the picture shows a failure.
    const std::size_t rows = std::min(in.load.rows.size(), made.readings.size() + made.readings.size() / 25 + 1);
    kept.picture = picture_of(made, rows, top);
    kept.curves = curves_svg(made, rows, of.found.capacity_bytes.has_value());
    return kept;
}

}  // namespace

recorded_workload record_workload(const comparison& of) {
    const scenario& in = *of.in;
    const std::vector<trace_block> blocks = trace_blocks(in.load, in.device.quantum);
    recorded_workload made{.shared = base64(zlib_stream(packed_trace(in.load, blocks, in.device.quantum))),
                           .cells = {}};
    for (const cell& each : of.cells) made.cells.push_back(record_cell(each, in, blocks));
    return made;
}

}  // namespace hbm::compare
