#include "compare/cells/offline.hpp"

#include <hbm/pack/pack.hpp>

#include <vector>

#include "compare/jobs/progress.hpp"

namespace hbm::compare {

namespace {

/// Limits of packing: some seconds, and some tenths of a second.
constexpr pack::effort effort_asked{.max_steps = 200'000, .max_looks = 400'000'000, .early = {stop_request::is_made}};
constexpr pack::effort effort_unasked{.max_steps = 5'000, .max_looks = 60'000'000, .early = {stop_request::is_made}};

/// Returns the instant of each row, and of the end. For few rows, instants follow their times, so that equally long
/// lives are equal for the exact search. A free after an allocation at the same time comes an instant later. Many rows
/// have their numbers.
std::vector<std::uint64_t> instants_of(const trace::workload& load) {
    const std::uint64_t count = load.rows.size() + 1;
    const bool has_times = !load.times.empty() && load.rows.size() <= 2 * pack::max_search_blocks &&
                           load.times.back() - load.times.front() < ~std::uint64_t{0} / count - count;
    std::vector<std::uint64_t> made;
    std::uint64_t later = 0;
    bool has_allocated = false;
    for (std::size_t at = 0; at < load.rows.size(); ++at) {
        if (!has_times) {
            made.push_back(at);
            continue;
        }
        if (at == 0 || load.times[at] != load.times[at - 1]) {
            later = 0;
            has_allocated = false;
        }
        if (load.rows[at].what == trace::op::free && has_allocated) {
            ++later;
            has_allocated = false;
        }
        has_allocated = has_allocated || load.rows[at].what == trace::op::alloc;
        made.push_back((load.times[at] - load.times.front()) * count + later);
    }
    made.push_back(made.empty() ? 0 : made.back() + 1);
    return made;
}

/// Returns the buffers of a workload with their lives; empty if these are not all determined beforehand.
std::optional<std::vector<pack::block>> blocks_of(const scenario& in) {
    const std::vector<trace::row>& rows = in.load.rows;
    const std::uint64_t quantum = in.device.quantum;
    const std::vector<std::uint64_t> instant = instants_of(in.load);
    std::vector<pack::block> blocks;
    std::vector<std::size_t> block_of(in.load.ids.size());
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (rows[at].what == trace::op::alloc) {
            const std::uint64_t quanta = rows[at].bytes / quantum + (rows[at].bytes % quantum != 0);
            block_of[rows[at].subject] = blocks.size();
            blocks.push_back(
                {.begin = instant[at], .end = instant[rows.size()], .bytes = (quanta == 0 ? 1 : quanta) * quantum});
        } else if (rows[at].what == trace::op::free) {
            blocks[block_of[rows[at].subject]].end = instant[at];
        } else if (rows[at].what != trace::op::sync) {
            return std::nullopt;
        }
    }
    return blocks;
}

}  // namespace

std::optional<offline_figures> offline_of(const scenario& in, bool is_asked) {
    if (in.has_programs) return std::nullopt;
    const std::optional<std::vector<pack::block>> blocks = blocks_of(in);
    if (!blocks) return std::nullopt;
    const pack::packing made = pack::pack_into_least(*blocks, is_asked ? effort_asked : effort_unasked);
    if (!made.is_found() || stop_request::is_made()) return std::nullopt;
    return offline_figures{.bytes = made.bytes, .bound_bytes = made.lower_bound};
}

}  // namespace hbm::compare
