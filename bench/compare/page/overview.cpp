#include "compare/page/overview.hpp"

#include <algorithm>

#include "compare/managers/named_managers.hpp"
#include "compare/replay/numbers.hpp"

namespace hbm::compare {

std::optional<need> need_of(const scenario& in, const manager_entry& who, const trace::figures& found) {
    const bool is_footprint = !found.min_capacity_bytes;
    const std::optional<std::uint64_t>& bytes = is_footprint ? found.footprint_bytes : found.min_capacity_bytes;
    if (!found.completed || !bytes) return std::nullopt;
    return need{.bytes = *bytes,
                .overhead = trace::fraction::of(*bytes, std::max<std::uint64_t>(in.min_bytes, 1)),
                .is_comparable = !is_footprint || !who.moves};
}

std::uint64_t price_of(const trace::figures& found) {
    return found.move_us + found.reload_us;
}

unsigned level_of(const std::optional<need>& needs, std::uint64_t price_us) {
    const std::uint64_t value = needs ? needs->overhead.millionths : price_us;
    const auto& limits = needs ? overhead_limits : price_limits;
    return static_cast<unsigned>(std::lower_bound(limits.begin(), limits.end(), value) - limits.begin());
}

bool all_fail(const comparison& of) {
    return std::none_of(of.cells.begin(), of.cells.end(), [](const cell& each) { return each.found.completed; });
}

}  // namespace hbm::compare
