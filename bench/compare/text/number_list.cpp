#include "compare/text/number_list.hpp"

#include <algorithm>
#include <bit>

namespace hbm::trace {

void number_list::pop_back() {
    if (tail_.empty()) {
        for (std::size_t index = 0; index < block_size; ++index) tail_.push_back(blocks_.back()[index]);
        blocks_.pop_back();
    }
    tail_.pop_back();
}

void number_list::pack() {
    block packed;
    if (std::is_sorted(tail_.begin(), tail_.end())) packed.slope = (tail_.back() - tail_.front()) / (block_size - 1);
    // Distances from the line may be negative: half the range is added before they are compared.
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    for (std::size_t index = 0; index < block_size; ++index) tail_[index] -= index * packed.slope;
    const std::uint64_t offset = packed.slope == 0 ? 0 : half - tail_.front();
    const auto [least, most] = std::minmax_element(
        tail_.begin(), tail_.end(), [&](std::uint64_t a, std::uint64_t b) { return a + offset < b + offset; });
    packed.base = *least;
    packed.bits = static_cast<std::size_t>(std::bit_width(*most - *least));
    packed.mask = packed.bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - packed.bits);
    packed.words.resize(block_size * packed.bits / 64 + 2);
    for (std::size_t index = 0; index < block_size; ++index) {
        const std::uint64_t difference = tail_[index] - packed.base;
        const std::size_t word = index * packed.bits / 64;
        const std::size_t shift = index * packed.bits % 64;
        packed.words[word] |= difference << shift;
        packed.words[word + 1] |= (difference >> 1U) >> (63 - shift);
    }
    blocks_.push_back(std::move(packed));
    tail_.clear();
}

}  // namespace hbm::trace
