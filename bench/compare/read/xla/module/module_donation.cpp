#include "compare/read/xla/module/module_donation.hpp"

#include <vector>

namespace hbm::imported::xla {

donation_question donation_question_of(const hlo_module& module) {
    donation_question question;
    const auto add = [](std::vector<donation_array>& into, const program_array& each) {
        into.push_back({each.parameter, each.index, each.bytes, each.unpadded_bytes, each.share_bytes,
                        each.shape.memory_space, each.text, each.label});
    };
    for (const program_array& each : module.arguments) add(question.arguments, each);
    for (const program_array& each : module.outputs) add(question.outputs, each);
    for (const program_alias& each : module.aliases) question.aliases.push_back({each.output, each.argument, true});
    question.donors = module.donors;
    question.devices = module.has_whole_arrays ? module.num_partitions : 1;
    return question;
}

}  // namespace hbm::imported::xla
