#include "compare/growth/summary.hpp"

#include <algorithm>

namespace hbm {

namespace {

__extension__ typedef unsigned __int128 wide;

std::uint64_t clamped(wide number) noexcept {
    return number > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(number);
}

std::uint64_t rate(const tag_growth& tag) noexcept {
    return tag.growth ? tag.growth->micro_bytes_a_step() : 0;
}

}  // namespace

const tag_growth* growth_summary::culprit() const noexcept {
    const tag_growth* found = nullptr;
    for (const tag_growth& each : tags) {
        if (!each.growth && each.risen_bytes == 0) continue;
        if (found == nullptr || rate(each) > rate(*found) ||
            (rate(each) == rate(*found) && each.risen_bytes > found->risen_bytes))
            found = &each;
    }
    return found;
}

std::optional<growth_forecast> growth_summary::headline() const {
    if (growth) return growth;
    std::optional<growth_forecast> found;
    for (const tag_growth& each : tags)
        if (each.growth && (!found || rate(each) > found->micro_bytes_a_step())) found = each.growth;
    // Memory ends when all of it is used, not when the tag has all of it.
    if (found) found->top_bytes = found->least_top_bytes = found->most_top_bytes = peak_bytes;
    if (found) found->at = steps;
    return found;
}

std::uint64_t growth_summary::position(std::uint64_t step) const noexcept {
    if (unit == growth_unit::steps || positions.empty()) return step;
    if (step == 0) return positions.front();
    if (step <= positions.size()) return positions[static_cast<std::size_t>(step - 1)];
    if (positions.size() < 2) return positions.back();
    const std::uint64_t more = step - positions.size();
    return clamped(positions.back() + wide{more} * (positions.back() - positions.front()) / (positions.size() - 1));
}

std::uint64_t growth_summary::micro_rate(const steady_growth& of) const noexcept {
    if (unit == growth_unit::steps || positions.size() < 2) return of.micro_bytes_a_step();
    const std::uint64_t length = positions.back() - positions.front();
    if (length == 0) return 0;
    const std::uint64_t scale = unit == growth_unit::times ? 3'600'000'000 : 1;
    // In two divisions, so that no product exceeds 2^128.
    const wide a_step = wide{of.micro_bytes_a_step()} * (positions.size() - 1);
    return clamped(a_step / length * scale + a_step % length * scale / length);
}

void rank(growth_summary& summary) {
    std::sort(summary.tags.begin(), summary.tags.end(), [](const tag_growth& a, const tag_growth& b) {
        if (rate(a) != rate(b)) return rate(a) > rate(b);
        if (a.at_end.bytes != b.at_end.bytes) return a.at_end.bytes > b.at_end.bytes;
        if (a.most != b.most) return a.most > b.most;
        return a.is_programs != b.is_programs ? a.is_programs : a.name < b.name;
    });
}

}  // namespace hbm
