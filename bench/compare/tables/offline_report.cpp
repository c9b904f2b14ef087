#include "compare/tables/offline_report.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>

#include "compare/jobs/parallel.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/managers/default_managers.hpp"
#include "compare/replay/numbers.hpp"

namespace hbm::compare {

namespace {

/// Limit on the rows of a workload that is packed without --offline: some tenths of a second.
constexpr std::size_t packed_unasked = 10'000;

std::string times_peak(std::uint64_t bytes, std::uint64_t peak) {
    return rounded(trace::fraction::of(bytes, peak), 4) + " times its peak live bytes";
}

/// Returns true for a part of the peak that is not 0 and would be written as `0.0 %`.
bool is_tiny(const scenario& in, std::uint64_t bytes) {
    return bytes != 0 && trace::fraction::of(bytes, in.min_bytes).millionths < 500;
}

std::string part_of_peak(const scenario& in, std::uint64_t bytes) {
    return (is_tiny(in, bytes) ? "less than 0.1 %" : percent(trace::fraction::of(bytes, in.min_bytes))) +
           " of the peak";
}

/// Returns a sentence about fate: the bytes above the peak that no manager can avoid.
std::string fate_words(const scenario& in, const offline_figures& found, bool is_brief) {
    const std::uint64_t fate = found.fate_bytes(in);
    if (fate == 0) return "nothing is fate.";
    if (found.is_optimal()) return part_of_peak(in, fate) + " is fate, proven.";
    const std::string longer = is_brief ? " (--offline tries longer)." : ".";
    if (is_tiny(in, fate)) return part_of_peak(in, fate) + " is fate" + longer;
    return "at most " + part_of_peak(in, fate) + " is fate, for less is not ruled out" + longer;
}

/// Returns a sentence about the bytes beyond fate: the least, the most, and their managers. Not for a given capacity.
std::string not_knowing_words(const scenario& in, const offline_figures& found, const std::vector<folded_row>& rows) {
    const folded_row* least = nullptr;
    const folded_row* most = nullptr;
    const auto costs = [&](const folded_row& row) { return found.not_knowing_bytes(in, *row.found); };
    for (const folded_row& row : rows) {
        if (!costs(row)) continue;
        if (least == nullptr || *costs(row) < *costs(*least)) least = &row;
        if (most == nullptr || *costs(row) > *costs(*most)) most = &row;
    }
    if (most == nullptr) return {};
    if (*costs(*most) == 0) return " No manager here needs more.";
    std::string words = " Not knowing what comes costs " + std::string(short_name(*most->who)) + " ";
    words += part_of_peak(in, *costs(*most));
    if (*costs(*least) == *costs(*most)) return words + ".";
    return words + ", the most here; the least, " + std::string(short_name(*least->who)) + ", " +
           (*costs(*least) == 0 ? "nothing" : part_of_peak(in, *costs(*least))) + ".";
}

}  // namespace

bool wants_offline(const options& asked, const std::vector<comparison>& all) {
    if (asked.offline) return true;
    const bool is_text = asked.format == output_format::table || asked.format == output_format::md;
    return all.size() == 1 && is_text && !asked.recommend && all.front().in->load.rows.size() <= packed_unasked;
}

void pack_offline(const options& asked, std::vector<comparison>& all) {
    std::vector<std::size_t> first;  // first of each run of workloads with equal packings
    for (std::size_t at = 0; at < all.size(); ++at)
        if (at == 0 || !have_same_rows(*all[at].in, *all[at - 1].in)) first.push_back(at);
    in_parallel(first.size(), asked.jobs, [&](std::size_t run) {
        const std::optional<offline_figures> found = offline_of(*all[first[run]].in, asked.offline);
        if (stop_request::is_made()) return;
        const std::size_t end = run + 1 < first.size() ? first[run + 1] : all.size();
        for (std::size_t at = first[run]; at < end; ++at) {
            all[at].offline = found;
            all[at].is_packed = true;
            all[at].is_packed_briefly = !asked.offline;
        }
    });
}

std::shared_ptr<const trace::figures> offline_row(const comparison& of) {
    const scenario& in = *of.in;
    if (!of.offline || in.min_bytes == 0 || in.how == limit::given) return nullptr;
    trace::figures made;
    made.completed = true;
    made.peak_live_bytes = in.min_bytes;
    if (in.how != limit::unlimited) made.min_capacity_bytes = of.offline->bytes;
    if (in.how != limit::minimum) made.footprint_bytes = of.offline->bytes;
    return std::make_shared<const trace::figures>(made);
}

std::string offline_words(const comparison& of, const std::vector<folded_row>& rows) {
    if (!of.is_packed) return {};
    const scenario& in = *of.in;
    if (in.has_programs)
        return "offline: not available for workloads with programs, whose contents depend on evictions.";
    const std::optional<offline_figures>& found = of.offline;
    if (!found || in.min_bytes == 0) return {};
    return "offline, with everything known in advance and nothing moved: " + size_in_words(found->bytes) +
           " is enough, " + times_peak(found->bytes, in.min_bytes) + ": " +
           fate_words(in, *found, of.is_packed_briefly) + not_knowing_words(in, *found, rows);
}

}  // namespace hbm::compare
