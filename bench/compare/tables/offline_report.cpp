#include "compare/tables/offline_report.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include "compare/jobs/parallel.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/managers/default_managers.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/tables/texts.hpp"

namespace hbm::compare {

namespace {

/// Limit on the rows of a workload that is packed without --offline: some tenths of a second.
constexpr std::size_t packed_unasked = 10'000;

/// Returns true for a part of the peak that is not 0 and would be written as `0.0 %`.
bool is_tiny(const scenario& load, std::uint64_t bytes) {
    return bytes != 0 && trace::fraction::of(bytes, load.min_bytes).millionths < 500;
}

std::string part_of_peak(const scenario& load, std::uint64_t bytes) {
    return filled(is_tiny(load, bytes) ? texts::tiny_part_of_peak : texts::part_of_peak,
                  {{"percent", percent(trace::fraction::of(bytes, load.min_bytes))}});
}

/// Returns a sentence about fate: the bytes above the peak that no manager can avoid.
std::string fate_of(const scenario& load, const offline_figures& packing, bool is_brief) {
    const std::uint64_t fate = packing.fate_bytes(load);
    if (fate == 0) return std::string(texts::no_fate);
    return filled(packing.is_optimal()  ? texts::proven_fate
                  : is_tiny(load, fate) ? texts::tiny_fate[is_brief]
                                        : texts::some_fate[is_brief],
                  {{"part", part_of_peak(load, fate)}});
}

/// Returns a sentence about the bytes beyond fate: the least, the most, and their managers. Not for a given capacity.
std::string online_costs(const scenario& load, const offline_figures& packing, const std::vector<folded_row>& rows) {
    const folded_row* least = nullptr;
    const folded_row* most = nullptr;
    const auto cost = [&](const folded_row& row) { return packing.not_knowing_bytes(load, *row.found); };
    for (const folded_row& row : rows) {
        if (!cost(row)) continue;
        if (least == nullptr || *cost(row) < *cost(*least)) least = &row;
        if (most == nullptr || *cost(row) > *cost(*most)) most = &row;
    }
    if (most == nullptr) return {};
    if (*cost(*most) == 0) return std::string(texts::no_online_cost);
    return filled(
        *cost(*least) == *cost(*most) ? texts::same_online_cost : texts::online_costs,
        {{"most", std::string(short_name(*most->who))},
         {"most_part", part_of_peak(load, *cost(*most))},
         {"least", std::string(short_name(*least->who))},
         {"least_part", *cost(*least) == 0 ? std::string(texts::nothing) : part_of_peak(load, *cost(*least))}});
}

}  // namespace

bool wants_offline(const options& settings, const std::vector<comparison>& all) {
    if (settings.offline) return true;
    const bool is_text = settings.format == output_format::table || settings.format == output_format::md;
    return all.size() == 1 && is_text && all.front().in->load.rows.size() <= packed_unasked;
}

void pack_offline(const options& settings, std::vector<comparison>& all) {
    std::vector<std::size_t> first;  // first of each run of workloads with equal packings
    for (std::size_t at = 0; at < all.size(); ++at)
        if (at == 0 || !have_same_rows(*all[at].in, *all[at - 1].in)) first.push_back(at);
    in_parallel(first.size(), settings.jobs, [&](std::size_t run) {
        const std::optional<offline_figures> match = offline_of(*all[first[run]].in, settings.offline);
        if (stop_request::is_made()) return;
        const std::size_t end = run + 1 < first.size() ? first[run + 1] : all.size();
        for (std::size_t at = first[run]; at < end; ++at) {
            all[at].offline = match;
            all[at].is_packed = true;
            all[at].is_packed_briefly = !settings.offline;
        }
    });
}

std::shared_ptr<const trace::figures> offline_row(const comparison& compared) {
    const scenario& load = *compared.in;
    if (!compared.offline || load.min_bytes == 0 || load.how == limit::given) return nullptr;
    trace::figures figures;
    figures.completed = true;
    figures.peak_live_bytes = load.min_bytes;
    if (load.how != limit::unlimited) figures.min_capacity_bytes = compared.offline->bytes;
    if (load.how != limit::minimum) figures.footprint_bytes = compared.offline->bytes;
    return std::make_shared<const trace::figures>(figures);
}

std::string packing_note(const comparison& compared, const std::vector<folded_row>& rows) {
    if (!compared.is_packed) return {};
    const scenario& load = *compared.in;
    if (load.has_programs) return std::string(texts::no_packing);
    const std::optional<offline_figures>& packing = compared.offline;
    if (!packing || load.min_bytes == 0) return {};
    return filled(texts::packing, {{"bytes", size_in_words(packing->bytes)},
                                   {"times", rounded(trace::fraction::of(packing->bytes, load.min_bytes), 4)},
                                   {"fate", fate_of(load, *packing, compared.is_packed_briefly)},
                                   {"online", online_costs(load, *packing, rows)}});
}

}  // namespace hbm::compare
