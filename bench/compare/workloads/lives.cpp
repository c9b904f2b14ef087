#include "compare/workloads/lives.hpp"

#include <hbm/pack/pack.hpp>

#include <cstddef>

namespace hbm::compare {

namespace {

/// Returns the instant of each row, and of the end. For few rows, instants follow their times, so that equally long
/// lives are equal for the exact search. A free after an allocation at the same time comes an instant later. Many rows
/// have their numbers.
std::vector<std::uint64_t> instants_of(const trace::workload& load) {
    const std::uint64_t count = load.rows.size() + 1;
    const bool has_times = !load.times.empty() && load.rows.size() <= 2 * pack::max_search_blocks &&
                           load.times.back() - load.times.front() < ~std::uint64_t{0} / count - count;
    std::vector<std::uint64_t> instants;
    std::uint64_t later = 0;
    bool has_allocated = false;
    for (std::size_t at = 0; at < load.rows.size(); ++at) {
        if (!has_times) {
            instants.push_back(at);
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
        instants.push_back((load.times[at] - load.times.front()) * count + later);
    }
    instants.push_back(instants.empty() ? 0 : instants.back() + 1);
    return instants;
}

}  // namespace

std::optional<std::vector<pack::block>> blocks_of(const trace::workload& load, std::uint64_t quantum) {
    const std::vector<trace::row>& rows = load.rows;
    const std::vector<std::uint64_t> instant = instants_of(load);
    std::vector<pack::block> blocks;
    std::vector<std::size_t> block_of(load.ids.size());
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

}  // namespace hbm::compare
