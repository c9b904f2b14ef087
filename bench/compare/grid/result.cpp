#include "compare/grid/result.hpp"

#include <hbm/explain/words.hpp>
#include <hbm/planning/relief.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "compare/jobs/parallel.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm::compare {

namespace {

/// Returns the measured slowness of these placements. The search for the minimum capacity of buddy begins far above it,
/// and first fit walks.
std::uint64_t slowness(const manager_entry& manager) {
    if (manager.placement.find("buddy") != std::string_view::npos) return 6;
    return manager.placement.find("first_fit") != std::string_view::npos ? 3 : 1;
}

/// Estimates the duration of a cell, in replayed rows. Only the order of work and the progress depend on it.
std::uint64_t effort(const manager_entry& manager, const scenario& scene) {
    const bool searches = scene.how == limit::minimum || scene.how == limit::needed ||
                          (scene.how == limit::unlimited && !manager.has_footprint);
    const std::uint64_t plans = scene.has_programs && manager.moves ? 4 : 1;
    return (scene.load.rows.size() + 1) * (searches ? 20 : 2) * slowness(manager) * plans;
}

/// A cell that is still empty: place in the results, and the estimate of its work.
struct pending_cell {
    std::size_t comparison = 0;
    std::size_t cell = 0;
    std::uint64_t effort = 0;
};

/// Fills all cells, workload by workload. Workloads with the least work come first, so that an interrupt leaves as many
/// as possible. The largest cells of a workload come first, so that no core waits long at the end. Every cell has its
/// place, so the result does not depend on the order of completion.
void fill_cells(std::vector<comparison>& compared, const std::vector<sharing>& shared, std::size_t jobs,
                progress& shown) {
    std::vector<pending_cell> all;
    std::vector<std::uint64_t> sums(compared.size(), 0);
    for (std::size_t at = 0; at < compared.size(); ++at)
        for (std::size_t cell = 0; cell < compared[at].cells.size(); ++cell) {
            all.push_back({at, cell, effort(*shared[at].first[cell], *compared[at].in)});
            sums[at] += all.back().effort;
        }
    std::sort(all.begin(), all.end(), [&](const pending_cell& a, const pending_cell& b) {
        return std::tuple(sums[a.comparison], a.comparison, b.effort, a.cell) <
               std::tuple(sums[b.comparison], b.comparison, a.effort, b.cell);
    });
    std::mutex guard;  // lock for the progress line and `left`
    std::vector<std::size_t> left;
    for (const comparison& entry : compared) left.push_back(entry.cells.size());
    in_parallel(all.size(), jobs, [&](std::size_t turn) {
        if (stop_request::is_made()) return;
        const pending_cell& entry = all[turn];
        comparison& to = compared[entry.comparison];
        const manager_entry& manager = *shared[entry.comparison].first[entry.cell];
        {
            const std::lock_guard<std::mutex> alone(guard);
            shown.show(to.in->load.name, manager.name);
        }
        to.cells[entry.cell] = evaluate(manager, *to.in);
        const std::lock_guard<std::mutex> alone(guard);
        shown.advance(entry.effort);
        if (--left[entry.comparison] == 0) stop_request::something_is_finished();
    });
}

bool is_finished(const comparison& compared) {
    return std::all_of(compared.cells.begin(), compared.cells.end(),
                       [](const cell& known) { return known.with != nullptr; });
}

}  // namespace

std::vector<comparison> compare_all(const selection& chosen, std::span<const scenario> all, std::size_t jobs,
                                    bool shows_progress) {
    std::vector<sharing> shared;
    std::vector<comparison> compared;
    std::uint64_t whole = 0;
    for (const scenario& load : all) {
        shared.push_back(share(chosen, load));
        for (const manager_entry* entry : shared.back().first) whole += effort(*entry, load);
        compared.push_back({.in = &load, .cells = {}, .cell_of = shared.back().cell_of});
        compared.back().cells.resize(shared.back().first.size());
    }
    {
        progress shown(shows_progress, whole);
        fill_cells(compared, shared, jobs, shown);
    }
    if (stop_request::is_made()) std::erase_if(compared, [](const comparison& entry) { return !is_finished(entry); });
    return compared;
}

void pack_offline(std::vector<comparison>& all, std::size_t jobs, bool is_asked) {
    std::vector<std::size_t> first;  // first of each run of workloads with equal packings
    for (std::size_t at = 0; at < all.size(); ++at)
        if (at == 0 || !have_same_rows(*all[at].in, *all[at - 1].in)) first.push_back(at);
    in_parallel(first.size(), jobs, [&](std::size_t run) {
        const std::optional<offline_figures> packed = offline_of(*all[first[run]].in, is_asked);
        if (stop_request::is_made()) return;
        const std::size_t end = run + 1 < first.size() ? first[run + 1] : all.size();
        for (std::size_t at = first[run]; at < end; ++at) all[at].offline = packed;
    });
}

namespace {

/// Returns the policies of a manager that matter on this workload: managers with the same text have the same figures.
/// Eviction and relief policies matter only if there are programs, donation only if something is donated, and moving
/// only if memory is limited.
std::string distinction(const manager_entry& manager, const scenario& load) {
    if (!manager.shipped) return "own " + std::string(manager.full_name);
    const bool nothing_fails = load.how == limit::unlimited && manager.has_footprint;
    constexpr std::string_view permission = "compacting<";
    std::string words(manager.placement);
    if (nothing_fails && words.starts_with(permission))
        words = words.substr(permission.size(), words.size() - permission.size() - 1);
    const auto add = [&](std::string_view policy) { words.append("/").append(policy); };
    if (load.has_programs && !nothing_fails) add(manager.eviction);
    if (load.has_donations) add(manager.donation);
    if (!nothing_fails && (load.has_programs || manager.relief == never_relieve::name.c_str())) add(manager.relief);
    return words;
}

}  // namespace

sharing share(const selection& chosen, const scenario& load) {
    sharing result;
    std::map<std::string, std::size_t> known;
    for (const manager_entry* manager : chosen.managers) {
        const auto [place, is_new] = known.emplace(distinction(*manager, load), result.first.size());
        if (is_new) result.first.push_back(manager);
        result.cell_of.push_back(place->second);
    }
    return result;
}

std::string extent_of(const partial_result& result) {
    return grouped(result.finished) + " of " + counted(result.all, "workload");
}

std::string interruption_words(const partial_result& result) {
    return "Interrupted: this result is about " + extent_of(result) + '.';
}

std::string interruption_json(const partial_result& result) {
    json_writer json;
    json.begin_object();
    json.field("finished", std::uint64_t{result.finished});
    json.field("of", std::uint64_t{result.all});
    json.end_object();
    return json.text();
}

}  // namespace hbm::compare
