#include "compare/read/xla/program/program.hpp"

#include <hbm/core/bytes.hpp>

#include "compare/read/xla/assignment/memory_classes.hpp"

namespace hbm::imported::xla {

program_sums sums_of(const imported_program& of) {
    program_sums sums;
    const auto count_padding = [&](const rounded_size& size, const std::optional<std::uint64_t>& unpadded) {
        if (unpadded && size.is_exact() && size.bytes > *unpadded)
            sums.padding = saturating_add(sums.padding, size.bytes - *unpadded);
    };
    for (const program_argument& each : of.arguments) {
        add_size(sums.arguments, each.size);
        count_padding(each.size, each.unpadded_bytes);
    }
    sums.need = sums.arguments;
    for (const program_output& each : of.outputs) {
        add_size(sums.outputs, each.size);
        if (each.argument) {
            add_size(sums.aliases, each.size);
        } else {
            add_size(sums.need, each.size);
            count_padding(each.size, each.unpadded_bytes);
        }
    }
    for (const std::optional<rounded_size>* each : {&of.temporary, &of.constant, &of.code})
        if (*each) add_size(sums.need, **each);
    return sums;
}

}  // namespace hbm::imported::xla
