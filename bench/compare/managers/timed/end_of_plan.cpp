#include "compare/managers/timed/end_of_plan.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/placement/scheduled.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>

#include "compare/managers/manager_entry.hpp"
#include "compare/managers/texts.hpp"

namespace hbm::compare {

namespace {

std::string place_of(const scenario& workload, std::size_t row) {
    const trace::number_list& lines = workload.load.lines;
    return filled(lines.empty() ? texts::place_of_event : texts::place_of_line,
                  {{"event", grouped_digits(row)},
                   {"workload", workload.title},
                   {"line", grouped_digits(lines.empty() ? 0 : lines[row])}});
}

}  // namespace

std::string end_of_plan(const selection& chosen, const scenario& workload) {
    const auto planned = std::find_if(chosen.managers.begin(), chosen.managers.end(),
                                      [](const manager_entry* entry) { return entry->narrow.choices.plan != nullptr; });
    if (planned == chosen.managers.end()) return {};
    const std::string name((*planned)->name);
    const schedule& plan = *(*planned)->narrow.choices.plan;
    const std::uint64_t quantum = workload.device.quantum;
    std::size_t request = 0;
    std::map<std::uint64_t, std::uint64_t> live;           // planned places of live buffers: begin and end
    std::unordered_map<trace::id, std::uint64_t> offsets;  // of live buffers
    for (std::size_t at = 0; at < workload.load.rows.size(); ++at) {
        const trace::row& row = workload.load.rows[at];
        if (row.what == trace::op::free) {
            if (const auto freed = offsets.find(row.subject); freed != offsets.end()) live.erase(freed->second);
            continue;
        }
        if (row.what != trace::op::alloc) continue;
        if (request == plan.blocks.size())
            return filled(
                texts::plan_is_short,
                {{"place", place_of(workload, at)}, {"requests", counted(request, "request")}, {"manager", name}});
        const std::uint64_t length = std::max<std::uint64_t>(row.bytes / quantum + (row.bytes % quantum != 0), 1);
        const scheduled_block& block = plan.blocks[request++];
        if (length != block.length)
            return filled(texts::plan_has_other_size, {{"place", place_of(workload, at)},
                                                       {"requested", size_in_words(length * quantum)},
                                                       {"planned", size_in_words(block.length * quantum)},
                                                       {"manager", name}});
        const auto above = live.lower_bound(block.offset);
        const bool is_taken = (above != live.end() && above->first < block.offset + length) ||
                              (above != live.begin() && std::prev(above)->second > block.offset);
        if (is_taken) return filled(texts::plan_has_other_end, {{"place", place_of(workload, at)}, {"manager", name}});
        live.emplace(block.offset, block.offset + length);
        offsets[row.subject] = block.offset;
    }
    return {};
}

}  // namespace hbm::compare
