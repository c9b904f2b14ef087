#include "compare/offline_report.hpp"

#include <hbm/report/words.hpp>

#include "compare/numbers.hpp"
#include "compare/parallel.hpp"

namespace hbm::compare {

namespace {

std::string times_peak(std::uint64_t bytes, std::uint64_t peak) {
    return rounded(trace::fraction::of(bytes, peak), 4) + " times its peak live bytes";
}

/// Whether two workloads have the same buffers with the same lives, as the points of a sweep over capacities have.
bool are_packed_alike(const scenario& a, const scenario& b) {
    return a.device.quantum == b.device.quantum && a.load.rows == b.load.rows && a.load.times == b.load.times;
}

}  // namespace

bool wants_offline(const options& asked, std::size_t workloads) {
    const bool is_text = asked.format == output_format::table || asked.format == output_format::md;
    return asked.offline || (workloads == 1 && is_text && !asked.recommend);
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
    std::string words = "offline, with everything known beforehand: " + size_in_words(found->bytes) + " would do, " +
                        times_peak(found->bytes, peak) +
                        (found->is_optimal() ? ", proven the least" : ", and less is not ruled out") +
                        "; what is above the peak there is fate.";
    std::string unknown;
    for (const folded_row& row : rows) {
        const std::optional<std::uint64_t> needs = row.minimum() ? row.minimum() : row.footprint();
        if (!needs || *needs <= found->bytes) continue;
        unknown += (unknown.empty() ? " Not knowing costs beyond that, of the peak: " : ", ") + row.label() + " " +
                   percent(trace::fraction::of(*needs - found->bytes, peak));
    }
    return words + (unknown.empty() ? " No manager here needs more." : unknown + ".");
}

}  // namespace hbm::compare
