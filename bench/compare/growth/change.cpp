#include "compare/growth/change.hpp"

#include <utility>
#include <vector>

namespace hbm {

namespace {

std::uint64_t level_of(std::span<const std::uint64_t> sizes) {
    std::vector<std::uint64_t> copied(sizes.begin(), sizes.end());
    return middle_of(std::span(copied));
}

}  // namespace

std::optional<growth_jump> growth_jump_of(std::span<const std::uint64_t> sizes) {
    constexpr std::size_t side = growth_parts;
    if (sizes.size() < 5 * side) return std::nullopt;
    std::vector<std::uint64_t> all(sizes.begin(), sizes.end());
    for (std::uint64_t& each : all) each = std::min(each, max_grown_bytes);
    std::size_t where = 0;
    std::uint64_t highest = 0;
    for (std::size_t at = side; at + side <= all.size(); ++at) {
        if (all[at] <= all[at - 1] + highest) continue;
        highest = all[at] - all[at - 1];
        where = at;
    }
    if (where == 0) return std::nullopt;
    std::vector<std::int64_t> differences;  // differences of sizes that are both before it, or both after
    for (std::size_t at = side; at < all.size(); ++at)
        if (at < where || at >= where + side)
            differences.push_back(static_cast<std::int64_t>(all[at]) - static_cast<std::int64_t>(all[at - side]));
    const std::int64_t usual = middle_of(std::span(differences));
    std::int64_t farthest = 0;
    for (const std::int64_t each : differences)
        farthest = std::max(farthest, each < usual ? usual - each : each - usual);
    const std::span<const std::uint64_t> whole = all;
    const auto level = [&](std::size_t from) { return static_cast<std::int64_t>(level_of(whole.subspan(from, side))); };
    const std::int64_t risen = level(where) - level(where - side) - usual;
    if (risen <= 0 || risen / 4 <= farthest) return std::nullopt;
    return growth_jump{where + 1, static_cast<std::uint64_t>(risen)};
}

std::optional<growth_rise> growth_rise_of(std::span<const std::uint64_t> sizes, std::uint64_t most) {
    const std::size_t length = std::max(sizes.size() / growth_parts, std::min(growth_parts, sizes.size() / 2));
    if (length == 0) return std::nullopt;
    std::uint64_t high = 0;
    std::uint64_t fallen = 0;
    for (const std::uint64_t each : sizes) {
        high = std::max(high, std::min(each, most));
        fallen = std::max(fallen, high - std::min(each, most));
    }
    const growth_rise found{level_of(sizes.first(length)), level_of(sizes.last(length))};
    if (found.ended_bytes <= found.began_bytes || found.ended_bytes - found.began_bytes <= fallen + fallen / 2)
        return std::nullopt;
    return found;
}

}  // namespace hbm
