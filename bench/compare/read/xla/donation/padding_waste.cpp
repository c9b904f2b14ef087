#include "compare/read/xla/donation/padding_waste.hpp"

#include <algorithm>
#include <tuple>

namespace hbm::imported {

padding_waste find_padding(const donation_question& in) {
    std::vector<bool> takes(in.outputs.size(), false);
    for (const donation_pair& each : in.aliases) takes[each.output] = true;
    std::vector<const donation_array*> all;
    const auto add = [&](const donation_array& each) {
        if (each.memory_space == 0 && each.unpadded_bytes && each.bytes > *each.unpadded_bytes) all.push_back(&each);
    };
    for (const donation_array& each : in.arguments) add(each);
    for (std::size_t at = 0; at < in.outputs.size(); ++at)
        if (!takes[at]) add(in.outputs[at]);
    std::sort(all.begin(), all.end(), [](const donation_array* left, const donation_array* right) {
        return std::tie(left->shape, left->bytes, *left->unpadded_bytes) <
               std::tie(right->shape, right->bytes, *right->unpadded_bytes);
    });
    padding_waste found;
    for (const donation_array* each : all) {
        const bool is_next = found.groups.empty() || found.groups.back().shape != each->shape ||
                             found.groups.back().bytes != each->bytes ||
                             found.groups.back().unpadded_bytes != *each->unpadded_bytes;
        if (is_next) found.groups.push_back({each->shape, 0, each->bytes, *each->unpadded_bytes});
        ++found.groups.back().count;
        found.bytes += each->bytes - *each->unpadded_bytes;
    }
    std::sort(found.groups.begin(), found.groups.end(), [](const padded_group& left, const padded_group& right) {
        return left.waste() != right.waste() ? left.waste() > right.waste()
                                             : std::tie(left.shape, left.bytes) < std::tie(right.shape, right.bytes);
    });
    return found;
}

}  // namespace hbm::imported
