#include "compare/read/xla/module/module.hpp"

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

}  // namespace hbm::imported::xla
