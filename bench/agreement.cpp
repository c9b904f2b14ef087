/// hbm_agreement: how often two runs of hbm_compare on variants of a workload recommend managers that are equal.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "compare/cells/take_luck.hpp"
#include "compare/command_line/options.hpp"
#include "compare/compare.hpp"
#include "compare/generate/variants.hpp"
#include "compare/managers/manager_list.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/texts/recommendation.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

/// Number of the first variant. The tool itself replays variants 1 to 8 of each of these.
constexpr std::uint64_t first_variant = 1000;

/// Recommendation of a run.
struct advice {
    std::string best;
    std::vector<std::string> equals;

    /// Returns true if the manager is recommended, or called equal to the recommended one.
    [[nodiscard]] bool accepts(const std::string& manager) const {
        return manager == best || std::find(equals.begin(), equals.end(), manager) != equals.end();
    }
};

/// Returns the recommendation of hbm_compare for a variant of a scenario.
advice advise(const scenario& original, std::uint64_t number, const selection& managers,
              std::optional<std::uint64_t> variants) {
    std::vector<scenario> scenarios{original};
    scenario& variant = scenarios.front();
    variant.load = trace::variant_of(original.load, number);
    variant.min_bytes = trace::min_bytes(variant.load, variant.device.quantum);
    std::vector<comparison> compared = compare_all(managers, scenarios, 0, 0, false);
    take_luck(compared, managers, variants, 0, false);
    const recommendation result = recommend(compared, managers);
    advice words{.best = result.best.who == nullptr ? "none" : std::string(result.best.who->name), .equals = {}};
    for (const manager_entry* entry : result.equals) words.equals.emplace_back(entry->name);
    return words;
}

/// Agreeing pairs of runs, and all pairs.
struct pairs {
    std::size_t agreeing = 0;
    std::size_t all = 0;
};

pairs count_pairs(const std::vector<advice>& runs) {
    pairs result;
    for (std::size_t at = 0; at < runs.size(); ++at)
        for (std::size_t other = at + 1; other < runs.size(); ++other) {
            ++result.all;
            result.agreeing += runs[at].accepts(runs[other].best) || runs[other].accepts(runs[at].best);
        }
    return result;
}

int print_agreement(std::uint64_t runs, int count, char** arguments) {
    options settings;
    std::vector<scenario> scenarios;
    std::vector<std::string> warnings;
    chosen_managers chosen;
    std::string problem = read_options(count, arguments, settings);
    settings.traces = HBM_TRACE_DIRECTORY;
    if (problem.empty()) problem = choose_managers(settings, {}, chosen);
    if (problem.empty()) problem = gather_workloads(settings, scenarios, warnings);
    if (!problem.empty()) {
        std::fprintf(stderr, "hbm_agreement: %s\n", problem.c_str());
        return 2;
    }
    std::printf("workload,agreeing,pairs,recommended\n");
    pairs sum;
    for (const scenario& original : scenarios) {
        std::vector<advice> advices;
        for (std::uint64_t run = 0; run < runs; ++run)
            advices.push_back(advise(original, first_variant + run, chosen.who, settings.variants));
        const pairs here = count_pairs(advices);
        sum.agreeing += here.agreeing;
        sum.all += here.all;
        std::printf("%s,%zu,%zu,", original.title.c_str(), here.agreeing, here.all);
        for (const advice& entry : advices) std::printf("%s ", entry.best.c_str());
        std::printf("\n");
        std::fflush(stdout);
    }
    std::printf("all,%zu,%zu,\n", sum.agreeing, sum.all);
    return sum.agreeing * 100 < sum.all * 95 ? 1 : 0;
}

}  // namespace

}  // namespace hbm::compare

int main(int count, char** arguments) {
    const std::uint64_t runs = count < 2 ? 0 : std::strtoull(arguments[1], nullptr, 10);
    if (runs < 2) {
        std::fputs("Usage: hbm_agreement RUNS [options of hbm_compare that choose workloads, managers and memory]\n",
                   stderr);
        return 2;
    }
    return hbm::compare::print_agreement(runs, count - 1, arguments + 1);
}
