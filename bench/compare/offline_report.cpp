#include "compare/offline_report.hpp"

#include <hbm/report/words.hpp>

#include <algorithm>

#include "compare/numbers.hpp"
#include "compare/parallel.hpp"

namespace hbm::compare {

namespace {

/// Workloads of so many rows are packed in some hundredths of a second.
constexpr std::size_t packed_unasked = 10'000;

std::string times_peak(std::uint64_t bytes, std::uint64_t peak) {
    return rounded(trace::fraction::of(bytes, peak), 4) + " times its peak live bytes";
}

/// Whether two workloads have the same buffers with the same lives, as the points of a sweep over capacities have.
bool are_packed_alike(const scenario& a, const scenario& b) {
    return a.device.quantum == b.device.quantum && a.load.rows == b.load.rows && a.load.times == b.load.times;
}

}  // namespace

bool wants_offline(const options& asked, const std::vector<comparison>& all) {
    if (asked.offline) return true;
    const bool is_text = asked.format == output_format::table || asked.format == output_format::md;
    return all.size() == 1 && is_text && !asked.recommend && all.front().in->load.rows.size() <= packed_unasked;
}

void pack_offline(std::vector<comparison>& all, std::size_t jobs) {
    std::vector<std::size_t> first;  // of each run of workloads that are packed alike
    for (std::size_t at = 0; at < all.size(); ++at)
        if (at == 0 || !are_packed_alike(*all[at].in, *all[at - 1].in)) first.push_back(at);
    in_parallel(first.size(), jobs, [&](std::size_t run) {
        const std::optional<offline_figures> found = offline_of(*all[first[run]].in);
        const std::size_t end = run + 1 < first.size() ? first[run + 1] : all.size();
        for (std::size_t at = first[run]; at < end; ++at) {
            all[at].offline = found;
            all[at].is_packed = true;
        }
    });
}

std::string offline_words(const comparison& of, const std::vector<folded_row>& rows) {
    if (!of.is_packed) return {};
    const scenario& in = *of.in;
    if (in.has_programs)
        return "offline: not known where there are programs, because what is in memory depends on who is evicted.";
    const std::optional<offline_figures>& found = of.offline;
    if (!found || in.min_bytes == 0) return {};
    const std::uint64_t peak = in.min_bytes;
    std::string words = "offline, with everything known beforehand and nothing moved: " + size_in_words(found->bytes) +
                        " would do, " + times_peak(found->bytes, peak);
    if (!found->is_optimal())
        words += "; less is not ruled out";
    else if (found->bytes > peak)
        words += ", proven the least: what is above the peak there is fate";
    // A capacity that was given says nothing about what a manager needs.
    std::uint64_t most = 0;
    bool are_known = !rows.empty();
    for (const folded_row& row : rows) {
        const std::optional<std::uint64_t> needs = row.minimum() ? row.minimum() : row.footprint();
        are_known = are_known && needs.has_value();
        most = std::max(most, needs.value_or(0));
    }
    if (most > found->bytes)
        return words + ". Not knowing costs the managers here up to " +
               percent(trace::fraction::of(most - found->bytes, peak)) + " of the peak more.";
    return words + (are_known ? ". No manager here needs more." : ".");
}

}  // namespace hbm::compare
