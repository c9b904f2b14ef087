#include "compare/cells/take_luck.hpp"

#include <optional>
#include <utility>

#include "compare/generate/variants.hpp"
#include "compare/jobs/parallel.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/replay/capacity.hpp"

namespace hbm::compare {

namespace {

/// Returns a variant of a scenario, in which managers are measured by minimum capacity, or else by footprint.
scenario variant_of(const scenario& subject, std::uint64_t number, bool by_capacity) {
    scenario variant = subject;
    variant.load = trace::variant_of(subject.load, number);
    variant.min_bytes = trace::min_bytes(variant.load, subject.device.quantum);
    variant.how = by_capacity ? limit::minimum : limit::unlimited;
    return variant;
}

void take_luck(comparison& compared, const selection& managers, std::uint64_t variants, std::size_t jobs) {
    const scenario& subject = *compared.in;
    const sharing shared = share(managers, subject);
    std::vector<std::vector<std::uint64_t>> needs(compared.cells.size());
    for (std::size_t at = 0; at < compared.cells.size(); ++at)
        if (const std::optional<std::uint64_t> need = need_of(subject, compared.cells[at].found))
            needs[at].push_back(*need);
    for (std::uint64_t number = 1; number <= variants; ++number) {
        const scenario variant = variant_of(subject, number, subject.how != limit::unlimited);
        std::vector<std::optional<std::uint64_t>> results(compared.cells.size());
        in_parallel(compared.cells.size(), jobs, [&](std::size_t at) {
            if (needs[at].empty() || stop_request::is_made()) return;
            results[at] = need_of(variant, evaluate(*shared.first[at], variant).found);
        });
        if (stop_request::is_made()) return;
        for (std::size_t at = 0; at < compared.cells.size(); ++at)
            if (results[at] && variant.min_bytes != 0)
                needs[at].push_back(static_cast<std::uint64_t>(static_cast<trace::wide_unsigned>(*results[at]) *
                                                               subject.min_bytes / variant.min_bytes));
    }
    for (std::size_t at = 0; at < compared.cells.size(); ++at)
        if (!needs[at].empty()) compared.cells[at].needs = luck_of(std::move(needs[at]));
}

}  // namespace

std::optional<std::uint64_t> need_of(const scenario& subject, const trace::figures& results) {
    if (subject.how == limit::given || !results.completed) return std::nullopt;
    return results.min_capacity_bytes ? results.min_capacity_bytes : results.footprint_bytes;
}

void take_luck(std::vector<comparison>& compared, const selection& managers, std::uint64_t variants, std::size_t jobs) {
    for (comparison& entry : compared)
        if (!stop_request::is_made()) take_luck(entry, managers, variants, jobs);
}

}  // namespace hbm::compare
