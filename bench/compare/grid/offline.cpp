#include "compare/grid/offline.hpp"

#include <hbm/explain/words.hpp>
#include <hbm/pack/pack.hpp>

#include <vector>

#include "compare/jobs/progress.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/workloads/lives.hpp"

namespace hbm::compare {

namespace {

/// Limits of packing: some seconds, and some tenths of a second.
constexpr pack::effort effort_asked{.max_steps = 200'000, .max_looks = 400'000'000, .early = {stop_request::is_made}};
constexpr pack::effort effort_unasked{.max_steps = 5'000, .max_looks = 60'000'000, .early = {stop_request::is_made}};

}  // namespace

std::uint64_t offline_figures::fate_bytes(const scenario& in) const noexcept {
    return bytes > in.min_bytes ? bytes - in.min_bytes : 0;
}

std::optional<std::uint64_t> offline_figures::not_knowing_bytes(const scenario& in,
                                                                const trace::figures& found) const noexcept {
    const std::optional<std::uint64_t>& needs =
        in.how == limit::unlimited ? found.footprint_bytes : found.min_capacity_bytes;
    if (!found.completed || !needs) return std::nullopt;
    return *needs > bytes ? *needs - bytes : 0;
}

std::optional<offline_figures> offline_of(const scenario& scene, bool is_asked) {
    if (scene.has_programs) return std::nullopt;
    const std::optional<std::vector<pack::block>> blocks = blocks_of(scene.load, scene.device.quantum);
    if (!blocks) return std::nullopt;
    const pack::packing result = pack::pack_into_least(*blocks, is_asked ? effort_asked : effort_unasked);
    if (!result.is_found() || stop_request::is_made()) return std::nullopt;
    return offline_figures{.bytes = result.bytes, .bound_bytes = result.lower_bound};
}

std::string packing_note(const scenario& load, const offline_figures& packing) {
    std::string note =
        "With everything known in advance and nothing moved, " + size_in_words(packing.bytes) + " is enough";
    if (packing.bytes == packing.bound_bytes)
        note += ", and no packing needs less";
    else if (load.min_bytes != 0)
        note += ", " + rounded(trace::fraction::of(packing.bytes, load.min_bytes), 4) +
                " times the peak; less is not ruled out";
    return note + '.';
}

}  // namespace hbm::compare
