#pragma once
// Traces with more bytes than can be told apart from mistakes, or summed up.

#include <hbm/core/bytes.hpp>
#include <hbm/trace/workload.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::trace {

/// No trace of a device has more bytes at once: 4 PiB. Below it, sums of all rows stay exact.
inline constexpr std::uint64_t most_bytes_at_once = std::uint64_t{1} << 52;

/// A row with which more is in memory than a limit.
struct row_beyond_limit {
    std::size_t row = 0;      ///< its index
    std::uint64_t bytes = 0;  ///< the largest size in it

    friend bool operator==(const row_beyond_limit&, const row_beyond_limit&) = default;
};

/// The first row with which buffers and programs come to more than `most` bytes if nothing is evicted or donated, or
/// that imports a range which ends beyond it. O(rows).
[[nodiscard]] inline std::optional<row_beyond_limit> find_row_beyond(const workload& trace, std::uint64_t most) {
    std::vector<std::uint64_t> sizes(trace.ids.size(), 0);
    std::uint64_t live = 0;  // never more than `most` before a row
    std::uint64_t largest = 0;
    const auto end = [&](id name) { live -= sizes[name], sizes[name] = 0; };
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
        case op::alloc:
            begin(next.subject, next.bytes);
            break;
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
        case op::unload:
            end(next.subject);
            break;
        default:
            break;
        }
        if (std::max(live, reached) > most) return row_beyond_limit{at, largest};
    }
    return std::nullopt;
}

}  // namespace hbm::trace
