#include "compare/replay/weighted_mean.hpp"

namespace hbm::trace {

void weighted_mean::add(std::uint64_t part, std::uint64_t whole, std::uint64_t weight) noexcept {
    weights_ += weight;
    if (part == 0) return;
    const wide_unsigned upper = (static_cast<wide_unsigned>(part) << 64) / whole;
    const wide_unsigned rest = (static_cast<wide_unsigned>(part) << 64) % whole;
    const wide_unsigned lower = (rest << 64) / whole;
    add_at(0, lower * weight);
    add_at(1, upper * weight);
}

fraction weighted_mean::rounded() const noexcept {
    if (weights_ == 0) return {};
    // Truncation made the sum smaller by less than `weights_` units of its last place.
    weighted_mean sum = *this;
    sum.add_at(0, weights_ - 1);
    constexpr std::uint64_t half_millionths = 2'000'000;
    wide_unsigned scaled = 0;  // floor(sum x 2,000,000); carries from below the point are added, the rest is dropped
    for (std::size_t limb = 0; limb < 3; ++limb)
        scaled = (scaled >> 64) + wide_unsigned{sum.limbs_[limb]} * half_millionths;
    return {static_cast<std::uint64_t>((scaled + weights_) / (wide_unsigned{weights_} * 2))};
}

void weighted_mean::add_at(std::size_t limb, wide_unsigned number) noexcept {
    for (; limb < limbs_.size() && number != 0; ++limb) {
        const wide_unsigned sum = wide_unsigned{limbs_[limb]} + static_cast<std::uint64_t>(number);
        limbs_[limb] = static_cast<std::uint64_t>(sum);
        number = (number >> 64) + (sum >> 64);
    }
}

}  // namespace hbm::trace
