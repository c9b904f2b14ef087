#include "compare/html/overview.hpp"

#include <hbm/report/words.hpp>

#include <algorithm>
#include <array>

#include "compare/named_managers.hpp"
#include "compare/numbers.hpp"

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
    constexpr std::array<std::uint64_t, 7> overheads{1'005'000, 1'020'000, 1'050'000, 1'100'000,
                                                     1'200'000, 1'400'000, 1'800'000};
    constexpr std::array<std::uint64_t, 7> prices{0, 1'000, 5'000, 20'000, 50'000, 100'000, 500'000};
    const std::uint64_t value = needs ? needs->overhead.millionths : price_us;
    const auto& limits = needs ? overheads : prices;
    return static_cast<unsigned>(std::lower_bound(limits.begin(), limits.end(), value) - limits.begin());
}

bool all_fail(const comparison& of) {
    return std::none_of(of.cells.begin(), of.cells.end(), [](const cell& each) { return each.found.completed; });
}

}  // namespace hbm::compare
