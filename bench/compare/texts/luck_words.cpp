#include "compare/texts/luck_words.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "compare/replay/numbers.hpp"

namespace hbm::compare {

std::string luck_words(const comparison& compared, const selection& selected) {
    std::vector<std::size_t> shown;
    std::string ranges;
    std::uint64_t workloads = 0;
    for (std::size_t at = 0; at < selected.managers.size(); ++at) {
        const std::size_t place = compared.cell_of[at];
        const std::optional<luck>& needs = compared.cells[place].needs;
        if (!needs || std::find(shown.begin(), shown.end(), place) != shown.end()) continue;
        shown.push_back(place);
        workloads = std::max(workloads, needs->workloads);
        ranges += (ranges.empty() ? "" : "; ") + std::string(selected.managers[at]->name) + " " +
                  size_in_words(needs->median) + " (" + size_in_words(needs->least) + " to " +
                  size_in_words(needs->most) + ")";
    }
    if (ranges.empty()) return {};
    return "Needs over the workload and " + counted(workloads - 1, "variant") +
           ", median and range; ranges that overlap by more than half are luck: " + ranges + ".";
}

}  // namespace hbm::compare
