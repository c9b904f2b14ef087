#include "compare/read/xla/program/program_labels.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "compare/read/description.hpp"
#include "compare/read/xla/module/module.hpp"

namespace hbm::imported::xla {

void add_labels(const program_files& from, imported_program& into) {
    std::map<std::pair<std::uint64_t, index_path>, std::size_t> names;
    for (std::size_t at = 0; at < into.arguments.size(); ++at)
        names.emplace(std::pair{into.arguments[at].parameter, into.arguments[at].index}, at);
    for (const auto* module : {&from.module, &from.unoptimized}) {
        if (!*module) continue;
        for (const program_array& each : (*module)->value.arguments) {
            const auto at = names.find({each.parameter, each.index});
            if (at != names.end() && into.arguments[at->second].label.empty())
                into.arguments[at->second].label = each.label;
        }
    }
}

void name_donation_file(const program_files& from, imported_program& into) {
    if (from.module)
        into.donation_file = from.module->file;
    else if (from.has_assignment() && from.assignment->value.has_all_outputs)
        into.donation_file = from.assignment->file;
}

}  // namespace hbm::imported::xla
