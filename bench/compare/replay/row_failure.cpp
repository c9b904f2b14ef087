#include "compare/replay/row_failure.hpp"

#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <vector>

namespace hbm::trace {

std::optional<row_beyond_limit> find_row_beyond(const workload& trace, std::uint64_t most) {
    std::vector<std::uint64_t> sizes(trace.ids.size(), 0);
    std::uint64_t live = 0;  // never more than `most` before a row
    std::uint64_t largest = 0;
    const auto end = [&](id name) {
        live -= sizes[name];
        sizes[name] = 0;
    };
    const auto begin = [&](id name, std::uint64_t bytes) {
        largest = std::max(largest, bytes);
        sizes[name] = saturating_add(sizes[name], bytes);
        live = saturating_add(live, bytes);
    };
    for (std::size_t at = 0; at < trace.rows.size(); ++at) {
        const row& next = trace.rows[at];
        const detail* const more = next.detail == no_detail ? nullptr : &trace.details[next.detail];
        std::uint64_t reached = 0;
        largest = 0;
        switch (next.what) {
        case op::alloc: begin(next.subject, next.bytes); break;
        case op::import:
            begin(next.subject, next.bytes);
            largest = std::max(largest, more->offset);
            reached = saturating_add(more->offset, next.bytes);
            break;
        case op::load:
            end(next.subject);
            begin(next.subject, next.bytes);
            begin(next.subject, more->scratch);
            break;
        case op::run:
            for (std::uint32_t i = 0; i < more->donated.count; ++i) end(trace.operands[more->donated.first + i]);
            for (std::uint32_t i = 0; i < more->outputs.count; ++i) {
                const sized_id& born = trace.outputs[more->outputs.first + i];
                begin(born.name, born.bytes);
            }
            break;
        case op::free:
        case op::unload: end(next.subject); break;
        default: break;
        }
        if (std::max(live, reached) > most) return row_beyond_limit{at, largest};
    }
    return std::nullopt;
}

}  // namespace hbm::trace
