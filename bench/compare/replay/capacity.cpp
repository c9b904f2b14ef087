#include "compare/replay/capacity.hpp"

#include <hbm/core/bytes.hpp>

#include <vector>

namespace hbm::trace {

std::uint64_t granted(std::uint64_t bytes, std::uint64_t quantum) noexcept {
    if (bytes == 0) return quantum;
    return (bytes - 1) / quantum >= ~std::uint64_t{0} / quantum ? ~std::uint64_t{0}
                                                                : ((bytes - 1) / quantum + 1) * quantum;
}

namespace {

/// Returns the peak of what is live and of the running program, in bytes; with `counts_ends`, no less than the end of
/// an imported range.
std::uint64_t peak_of(const workload& trace, std::uint64_t quantum, bool counts_ends) {
    std::vector<std::uint64_t> sizes(trace.ids.size(), 0);
    std::uint64_t live = 0;
    std::uint64_t peak = 0;
    const auto begin = [&](id name, std::uint64_t bytes) {
        sizes[name] = granted(bytes, quantum);
        live += sizes[name];
    };
    std::vector<std::uint64_t> programs(trace.details.empty() ? 0 : trace.ids.size(), 0);
    for (const row& next : trace.rows) {
        std::uint64_t program = 0;
        if (next.what == op::alloc) {
            begin(next.subject, next.bytes);
        } else if (next.what == op::import) {
            begin(next.subject, next.bytes);
            const std::uint64_t end = saturating_add(trace.details[next.detail].offset, next.bytes);
            if (counts_ends) peak = std::max(peak, granted(end, quantum));
        } else if (next.what == op::free) {
            live -= sizes[next.subject];
        } else if (next.what == op::load) {
            const std::uint64_t scratch = trace.details[next.detail].scratch;
            programs[next.subject] = granted(next.bytes, quantum) + (scratch == 0 ? 0 : granted(scratch, quantum));
            program = programs[next.subject];
        } else if (next.what == op::run) {
            const detail& more = trace.details[next.detail];
            program = programs[next.subject];
            peak = std::max(peak, live + program);
            for (std::uint32_t i = 0; i < more.donated.count; ++i)
                live -= sizes[trace.operands[more.donated.first + i]];
            for (std::uint32_t i = 0; i < more.outputs.count; ++i) {
                const sized_id& born = trace.outputs[more.outputs.first + i];
                begin(born.name, born.bytes);
            }
        }
        peak = std::max(peak, live + program);
    }
    return peak;
}

}  // namespace

std::uint64_t min_bytes(const workload& trace, std::uint64_t quantum) {
    return peak_of(trace, quantum, true);
}

std::uint64_t peak_live_bytes(const workload& trace, std::uint64_t quantum) {
    return peak_of(trace, quantum, false);
}

std::optional<std::size_t> find_row_beyond(const workload& trace, std::uint64_t most) {
    std::vector<std::uint64_t> sizes(trace.ids.size(), 0);
    std::uint64_t live = 0;  // never more than `most` before a row
    const auto end = [&](id name) {
        live -= sizes[name];
        sizes[name] = 0;
    };
    const auto begin = [&](id name, std::uint64_t bytes) {
        sizes[name] = saturating_add(sizes[name], bytes);
        live = saturating_add(live, bytes);
    };
    for (std::size_t at = 0; at < trace.rows.size(); ++at) {
        const row& next = trace.rows[at];
        const detail more = next.detail == no_detail ? detail{} : trace.details[next.detail];
        if (next.what == op::load || next.what == op::free || next.what == op::unload) end(next.subject);
        for (std::uint32_t i = 0; i < more.donated.count; ++i) end(trace.operands[more.donated.first + i]);
        if (next.what == op::alloc || next.what == op::import || next.what == op::load) begin(next.subject, next.bytes);
        if (next.what == op::load) begin(next.subject, more.scratch);
        for (std::uint32_t i = 0; i < more.outputs.count; ++i) {
            const sized_id& born = trace.outputs[more.outputs.first + i];
            begin(born.name, born.bytes);
        }
        if (live > most || (next.what == op::import && saturating_add(more.offset, next.bytes) > most)) return at;
    }
    return std::nullopt;
}

std::uint64_t next_capacity(std::uint64_t failed, std::uint64_t lower, std::uint64_t upper,
                            std::uint64_t quantum) noexcept {
    const std::uint64_t above = failed - lower;
    const std::uint64_t step = above < lower / 16 ? lower / 1024 : above < lower / 4 ? lower / 256 : failed / 8;
    const std::uint64_t rounded = std::max(step / quantum, std::uint64_t{1}) * quantum;
    return rounded < upper - failed ? failed + rounded : upper;
}

}  // namespace hbm::trace
