#include "compare/read/torch/memory_snapshot.hpp"

namespace hbm::imported {

std::vector<std::uint64_t> memory_snapshot::devices() const {
    std::map<std::uint64_t, bool> found;
    for (const snapshot_segment& each : segments) found[each.device] = true;
    for (std::size_t at = 0; at < histories.size(); ++at)
        if (!histories[at].entries.empty()) found[at] = true;
    std::vector<std::uint64_t> all;
    for (const auto& each : found) all.push_back(each.first);
    return all;
}

}  // namespace hbm::imported
