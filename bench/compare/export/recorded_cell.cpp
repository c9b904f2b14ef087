#include "compare/export/recorded_cell.hpp"

#include <hbm/explain/dump_text.hpp>
#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <memory>

#include "compare/export/texts.hpp"
#include "compare/replay/history.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

std::uint64_t recorded_cell::span() const noexcept {
    if (is_limited()) return what.capacity;
    std::uint64_t highest = 0;
    for (const trace::recorded_place& each : what.places) highest = std::max(highest, each.where.end());
    return highest;
}

std::uint64_t recorded_cell::time(std::size_t row) const noexcept {
    const std::vector<std::uint64_t>& times = in->load.times;
    if (times.empty()) return row;
    return row < times.size() ? times[row] : times.back();
}

std::string recorded_cell::name() const {
    return filled(texts::cell_name, {{"manager", std::string(managers.front())}, {"workload", in->title}});
}

std::string recorded_cell::others() const {
    if (managers.size() == 1) return {};
    std::string names;
    for (std::size_t at = 1; at < managers.size(); ++at) append_item(names, managers[at]);
    return filled(texts::equal_managers, {{"count", managers.size() - 1}, {"names", names}});
}

std::string_view recorded_cell::id_of(const trace::recorded_block& block) const noexcept {
    return block.subject == trace::no_subject ? kind_of(block) : in->load.ids[block.subject];
}

std::string_view recorded_cell::tag_of(const trace::recorded_block& block) const noexcept {
    return in->load.tags[block.tag];
}

std::string_view recorded_cell::kind_of(const trace::recorded_block& block) noexcept {
    return kind_in_words(block.kind == block_kind::deferred ? block_kind::data : block.kind);
}

std::uint64_t recorded_cell::requested(const trace::recorded_block& block) const noexcept {
    const trace::workload& load = in->load;
    const trace::row& began = load.rows[block.begin];
    if (block.kind != block_kind::data && block.kind != block_kind::deferred) return block.granted;
    if (began.what == trace::op::alloc || began.what == trace::op::import) return began.bytes;
    if (began.what != trace::op::run) return block.granted;
    const trace::operand_range outputs = load.details[began.detail].outputs;
    for (std::uint32_t at = 0; at < outputs.count; ++at)
        if (load.outputs[outputs.first + at].name == block.subject) return load.outputs[outputs.first + at].bytes;
    return block.granted;
}

recorded_cell record_cell(const comparison& of, std::size_t cell_index, const selection& who) {
    recorded_cell made{.in = of.in, .of = &of.cells[cell_index], .managers = {}, .what = {}};
    for (std::size_t manager = 0; manager < who.managers.size(); ++manager)
        if (of.cell_of[manager] == cell_index) made.managers.push_back(who.managers[manager]->name);
    const memory_spec& spec = made.of->spec;
    const std::unique_ptr<trace::replayed_memory> memory = memory_of(*made.of);
    made.what = trace::record_history(made.in->load, *memory, spec.quantum);
    return made;
}

}  // namespace hbm::compare
