#include "compare/cells/timing.hpp"

#include <algorithm>
#include <chrono>

#include "compare/jobs/machine_load.hpp"
#include "compare/jobs/progress.hpp"

namespace hbm::compare {

namespace {

constexpr std::size_t least_rounds = 3;
/// Number of rounds after which an unstable time stays unstable.
constexpr std::size_t most_rounds = 40;

/// Limit on the rows of a workload that is timed without a number of rounds: three rounds of some seconds each.
constexpr std::uint64_t most_usual_rows = 10'000'000;

using clock = std::chrono::steady_clock;

/// Time in which stable rounds still count as a coincidence: a slow phase of the machine may last as long.
constexpr std::chrono::milliseconds shortest{500};
/// Time after which no further round begins.
constexpr std::chrono::milliseconds longest{3000};

/// Cell to be timed, with the times of its rounds.
struct timed_cell {
    comparison* group = nullptr;
    std::size_t at = 0;
    const manager_entry* manager = nullptr;
    std::vector<double> rounds = {};  ///< nanoseconds per row, fastest first

    /// Returns how far the third fastest round exceeds the fastest.
    [[nodiscard]] double spread() const { return rounds[least_rounds - 1] / rounds.front() - 1; }
    [[nodiscard]] bool is_stable() const { return rounds.size() >= least_rounds && spread() <= stable_spread; }
};

std::vector<timed_cell> cells_to_time(std::vector<comparison>& compared, const std::vector<sharing>& shared,
                                      bool is_usual) {
    std::vector<timed_cell> result;
    for (std::size_t entry = 0; entry < compared.size(); ++entry)
        for (std::size_t at = 0; at < compared[entry].cells.size(); ++at) {
            const cell& known = compared[entry].cells[at];
            const bool is_meant = !is_usual || (known.with->is_typed && known.found.events <= most_usual_rows);
            if (is_meant && known.found.completed && known.found.events != 0)
                result.push_back({.group = &compared[entry], .at = at, .manager = shared[entry].first[at]});
        }
    return result;
}

}  // namespace

void take_times(std::vector<comparison>& compared, const std::vector<sharing>& shared,
                std::optional<std::uint64_t> rounds, bool shows_progress) {
    std::vector<timed_cell> all = cells_to_time(compared, shared, !rounds);
    if (all.empty() || rounds == 0) return;
    const std::size_t limit = rounds ? std::max(static_cast<std::size_t>(*rounds), least_rounds) : most_rounds;
    progress shown(shows_progress, rounds ? limit * all.size() : least_rounds * all.size());
    const other_work others;
    const clock::time_point begin = clock::now();
    const auto is_enough = [&](std::size_t round) {
        const clock::duration spent = clock::now() - begin;
        if (rounds || round < least_rounds || spent < shortest) return false;
        const auto stable = [](const timed_cell& entry) { return entry.is_stable(); };
        return spent > longest || std::all_of(all.begin(), all.end(), stable);
    };
    for (std::size_t round = 0; round < limit && !is_enough(round); ++round)
        for (std::size_t turn = 0; turn < all.size(); ++turn) {
            if (stop_request::is_made()) return;
            // Each round begins with another cell, so that a disturbance of the machine affects all cells alike.
            timed_cell& entry = all[(turn + round) % all.size()];
            shown.show("timing " + entry.group->in->load.name, entry.manager->name);
            shown.advance(1);
            const double taken = time_once(entry.group->cells[entry.at], *entry.group->in);
            entry.rounds.insert(std::upper_bound(entry.rounds.begin(), entry.rounds.end(), taken), taken);
        }
    const bool is_busy = others.share() > tolerable_other_work;
    for (const timed_cell& entry : all) {
        trace::figures& figures_of_cell = entry.group->cells[entry.at].found;
        if (entry.rounds.front() <= 0) continue;
        figures_of_cell.ns_per_event = entry.rounds.front();
        figures_of_cell.ns_spread = entry.spread();
        figures_of_cell.ns_stable = entry.is_stable() && !is_busy;
    }
}

}  // namespace hbm::compare
