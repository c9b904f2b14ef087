#include "compare/texts/summary_words.hpp"

namespace hbm::compare {

std::string cell_words(const summary_contents& subject) {
    std::string words;
    if (subject.has_needs)
        words += "Without a given memory: the least memory in which the manager completes the workload. ";
    if (subject.has_bisections) words += "<=: found by bisection, a smaller one may do. ";
    if (subject.has_footprints) words += "Without a limit: the footprint. ";
    if (subject.has_luck) words += "In brackets: its range over variants of the workload, which is luck. ";
    if (subject.has_costs)
        words += "In a given memory: the modelled time of moves and reloads, `fits` without any, or `fails`. ";
    if (subject.has_seeds) words += "Over several seeds: how many complete; the median if all do. ";
    if (!words.empty()) words.pop_back();
    return words;
}

std::string unit_words(const summary_contents& subject) {
    return std::string("K, M and G are KiB, MiB and GiB. (at least): no manager needs less.") +
           (subject.has_details ? "" : " --details prints a table for each workload.");
}

std::string seeds_words(std::size_t completed, std::size_t seeds) {
    return std::to_string(completed) + " of " + std::to_string(seeds);
}

}  // namespace hbm::compare
