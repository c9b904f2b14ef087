#include "compare/export/recorded_cell.hpp"

#include <hbm/explain/dump_text.hpp>

#include <algorithm>
#include <memory>

#include "compare/replay/history.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

std::uint64_t recorded_cell::time(std::size_t row) const noexcept {
    const std::vector<std::uint64_t>& times = in->load.times;
    if (times.empty()) return row;
    return row < times.size() ? times[row] : times.back();
}

std::string recorded_cell::name() const {
    return std::string(managers.front()) + ", " + in->title;
}

std::string recorded_cell::others() const {
    if (managers.size() == 1) return {};
    std::string names;
    for (std::size_t at = 1; at < managers.size(); ++at) append_item(names, managers[at]);
    return "and " + std::to_string(managers.size() - 1) + " more that cannot differ here: " + names;
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
