#include "compare/read/xla/module/module.hpp"

#include <vector>

namespace hbm::imported::xla {

module_sums sums_of(const hlo_module& of) noexcept {
    module_sums sums;
    for (const program_array& each : of.arguments) {
        if (each.in_device_memory()) {
            sums.arguments += each.bytes;
            sums.unpadded_arguments += each.unpadded_bytes;
        } else if (each.shape.memory_space == host_memory_space) {
            sums.host_arguments += each.bytes;
        }
    }
    for (const program_array& each : of.outputs) {
        if (each.in_device_memory())
            sums.outputs += each.bytes;
        else if (each.shape.memory_space == host_memory_space)
            sums.host_outputs += each.bytes;
    }
    for (const program_alias& each : of.aliases) {
        const program_array& output = of.outputs[each.output];
        const program_array& argument = of.arguments[each.argument];
        const bool same_memory = output.shape.memory_space == argument.shape.memory_space;
        if (output.in_device_memory() && same_memory) sums.aliases += output.bytes;
        if (output.bytes != argument.bytes || !same_memory) ++sums.mismatches;
    }
    for (const std::size_t each : of.donors)
        if (of.arguments[each].in_device_memory()) sums.donors += of.arguments[each].bytes;
    return sums;
}

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
