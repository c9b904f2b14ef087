#include "compare/page/huffman.hpp"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <tuple>

namespace hbm::compare {

namespace {

/// The length of each symbol's code in Huffman's tree. Ties are broken by number, so that the result is always the
/// same.
std::vector<std::uint8_t> tree_depths(const std::vector<std::uint64_t>& counts) {
    using node = std::tuple<std::uint64_t, std::size_t>;
    std::priority_queue<node, std::vector<node>, std::greater<>> open;
    std::vector<std::size_t> parents(counts.size(), 0);
    for (std::size_t symbol = 0; symbol < counts.size(); ++symbol)
        if (counts[symbol] != 0) open.emplace(counts[symbol], symbol);
    while (open.size() > 1) {
        const auto [first_count, first] = open.top();
        open.pop();
        const auto [second_count, second] = open.top();
        open.pop();
        parents[first] = parents[second] = parents.size();
        open.emplace(first_count + second_count, parents.size());
        parents.push_back(0);
    }
    std::vector<std::uint8_t> depths(parents.size(), 0);
    for (std::size_t at = parents.size(); at-- > 0;)
        if (parents[at] != 0) depths[at] = static_cast<std::uint8_t>(depths[parents[at]] + 1);
    depths.resize(counts.size());
    return depths;
}

std::uint16_t reversed(unsigned bits, unsigned length) {
    unsigned made = 0;
    for (unsigned at = 0; at < length; ++at) made |= (bits >> at & 1) << (length - 1 - at);
    return static_cast<std::uint16_t>(made);
}

}  // namespace

std::vector<prefix_code> prefix_codes(std::span<const std::uint32_t> counts, unsigned longest) {
    std::vector<std::uint64_t> weights(counts.begin(), counts.end());
    for (std::size_t at = 0; std::count(weights.begin(), weights.end(), 0U) + 2 > std::ptrdiff_t(weights.size()); ++at)
        if (weights[at] == 0) weights[at] = 1;
    std::vector<std::uint8_t> lengths = tree_depths(weights);
    // Flatter counts make a flatter tree.
    while (*std::max_element(lengths.begin(), lengths.end()) > longest) {
        for (std::uint64_t& weight : weights) weight = (weight + 1) / 2;
        lengths = tree_depths(weights);
    }
    std::vector<prefix_code> codes(counts.size());
    unsigned next = 0;
    for (unsigned length = 1; length <= longest; ++length, next <<= 1)
        for (std::size_t symbol = 0; symbol < codes.size(); ++symbol)
            if (lengths[symbol] == length)
                codes[symbol] = {reversed(next++, length), static_cast<std::uint8_t>(length)};
    return codes;
}

}  // namespace hbm::compare
