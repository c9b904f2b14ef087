#include "compare/read/xla/assignment/memory_classes.hpp"

#include <hbm/core/bytes.hpp>

namespace hbm::imported::xla {

void add_size(rounded_size& sum, const rounded_size& more) noexcept {
    sum.bytes = saturating_add(sum.bytes, more.bytes);
    sum.low = saturating_add(sum.low, more.low);
    sum.high = saturating_add(sum.high, more.high);
}

memory_classes classify(std::span<const allocation> all) {
    memory_classes sums;
    for (const allocation& each : all) {
        add_size(sums.all, each.size);
        if (each.color != hbm_color) {
            add_size(sums.other_spaces[each.color], each.size);
            continue;
        }
        if (each.is_per_thread) {
            add_size(sums.per_thread, each.size);
            continue;
        }
        add_size(sums.peak, each.size);
        if (each.parameter) add_size(sums.argument, each.size);
        if (each.is_live_out) add_size(sums.output, each.size);
        if (each.parameter && each.is_live_out) add_size(sums.alias, each.size);
        if (each.is_temporary) add_size(sums.temporary, each.size);
        if (each.is_constant) add_size(sums.constant, each.size);
    }
    return sums;
}

}  // namespace hbm::imported::xla
