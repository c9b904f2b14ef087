#include "compare/cells/take_luck.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "compare/generate/variants.hpp"
#include "compare/jobs/parallel.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/replay/capacity.hpp"

namespace hbm::compare {

namespace {

constexpr std::uint64_t most_variants = 8;
constexpr std::uint64_t affordable_rows = 2'000'000;

using needs_of_cells = std::vector<std::optional<std::uint64_t>>;

/// Returns a variant of a scenario, in which managers are measured by minimum capacity, or else by footprint.
scenario variant_of(const scenario& subject, std::uint64_t number) {
    scenario variant = subject;
    variant.load = trace::variant_of(subject.load, number);
    variant.min_bytes = trace::min_bytes(variant.load, subject.device.quantum);
    if (subject.how != limit::unlimited) variant.how = limit::minimum;
    return variant;
}

/// Returns a need of a variant as one of the workload. Requires: `least` is not 0.
std::uint64_t scaled(std::uint64_t need, std::uint64_t least, std::uint64_t least_of_workload) {
    return static_cast<std::uint64_t>(static_cast<trace::wide_unsigned>(need) * least_of_workload / least);
}

/// Returns the needs under all managers that complete the workload, of it and then of its variants. Empty after a
/// `stop_request`.
std::vector<needs_of_cells> replay_variants(const comparison& compared, const selection& managers,
                                            std::uint64_t variants, std::size_t jobs, progress& shown) {
    const scenario& subject = *compared.in;
    const sharing shared = share(managers, subject);
    const std::size_t cells = compared.cells.size();
    std::vector<needs_of_cells> needs(1 + variants, needs_of_cells(cells));
    for (std::size_t at = 0; at < cells; ++at) needs.front()[at] = need_of(subject, compared.cells[at].found);
    std::vector<scenario> all(variants);
    in_parallel(variants, jobs, [&](std::size_t at) { all[at] = variant_of(subject, at + 1); });
    std::mutex guard;
    in_parallel(variants * cells, jobs, [&](std::size_t turn) {
        const std::size_t number = turn % variants;
        const std::size_t at = turn / variants;
        const scenario& variant = all[number];
        if (!needs.front()[at] || variant.min_bytes == 0 || stop_request::is_made()) return;
        {
            const std::lock_guard<std::mutex> alone(guard);
            shown.show(subject.load.name + ", variant " + std::to_string(number + 1), shared.first[at]->name);
        }
        if (const std::optional<std::uint64_t> need = find_need(*shared.first[at], variant))
            needs[number + 1][at] = scaled(*need, variant.min_bytes, subject.min_bytes);
        const std::lock_guard<std::mutex> alone(guard);
        shown.advance(subject.load.rows.size());
    });
    if (stop_request::is_made()) needs.clear();
    return needs;
}

void set_needs(comparison& compared, const std::vector<needs_of_cells>& needs) {
    for (std::size_t at = 0; at < compared.cells.size(); ++at) {
        std::vector<std::uint64_t> known;
        for (const needs_of_cells& variant : needs)
            if (variant[at]) known.push_back(*variant[at]);
        if (!known.empty()) compared.cells[at].needs = luck_of(std::move(known));
    }
}

}  // namespace

std::optional<std::uint64_t> need_of(const scenario& subject, const trace::figures& results) {
    if (subject.how == limit::given || !results.completed) return std::nullopt;
    return results.min_capacity_bytes ? results.min_capacity_bytes : results.footprint_bytes;
}

std::uint64_t usual_variants(const scenario& subject) {
    if (subject.how == limit::given || subject.at.has_several_capacities || subject.load.rows.empty()) return 0;
    return std::min(most_variants, affordable_rows / subject.load.rows.size());
}

void take_luck(std::vector<comparison>& compared, const selection& managers, std::optional<std::uint64_t> variants,
               std::size_t jobs, bool shows_progress) {
    const auto count_of = [&](const comparison& entry) {
        return entry.in->how == limit::given ? 0 : variants.value_or(usual_variants(*entry.in));
    };
    std::uint64_t whole = 0;
    for (const comparison& entry : compared) whole += count_of(entry) * entry.cells.size() * entry.in->load.rows.size();
    progress shown(shows_progress, whole);
    for (comparison& entry : compared) {
        const std::uint64_t count = count_of(entry);
        if (count == 0 || stop_request::is_made()) continue;
        if (const std::vector<needs_of_cells> needs = replay_variants(entry, managers, count, jobs, shown);
            !needs.empty())
            set_needs(entry, needs);
    }
}

}  // namespace hbm::compare
