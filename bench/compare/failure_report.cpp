#include "compare/failure_report.hpp"

namespace hbm::compare {

std::vector<allocation_age> ages_at(const trace::workload& load, std::size_t now) {
    std::vector<allocation_age> births(load.ids.size());
    allocation_age so_far;
    for (; so_far.events < now; ++so_far.events) {
        const trace::row& row = load.rows[so_far.events];
        if (row.what == trace::op::alloc || row.what == trace::op::import) births[row.subject] = so_far;
        if (row.what != trace::op::run) continue;
        ++so_far.runs;
        const trace::operand_range outputs = load.details[row.detail].outputs;
        for (std::uint32_t i = 0; i < outputs.count; ++i) births[load.outputs[outputs.first + i].name] = so_far;
    }
    for (allocation_age& age : births) age = {so_far.events - age.events, so_far.runs - age.runs};
    return births;
}

void set_ages(allocation_dump& dumped, const std::map<std::uint64_t, allocation_age>& by_offset) {
    const auto set = [&](dumped_block& block) {
        if (const auto found = by_offset.find(block.where.offset); found != by_offset.end()) block.age = found->second;
    };
    for (auto* list : {&dumped.allocations, &dumped.walls, &dumped.pending_frees})
        for (dumped_block& block : list->items) set(block);
    for (dumped_hole& hole : dumped.holes.items)
        for (auto* neighbour : {&hole.below, &hole.above})
            if (*neighbour) set(**neighbour);
}

}  // namespace hbm::compare
