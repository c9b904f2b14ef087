#include "compare/cells/offline.hpp"

#include <hbm/pack/pack.hpp>

#include <vector>

#include "compare/jobs/progress.hpp"
#include "compare/workloads/lives.hpp"

namespace hbm::compare {

namespace {

/// Limits of packing: some seconds, and some tenths of a second.
constexpr pack::effort effort_asked{.max_steps = 200'000, .max_looks = 400'000'000, .early = {stop_request::is_made}};
constexpr pack::effort effort_unasked{.max_steps = 5'000, .max_looks = 60'000'000, .early = {stop_request::is_made}};

}  // namespace

std::optional<offline_figures> offline_of(const scenario& scene, bool is_asked) {
    if (scene.has_programs) return std::nullopt;
    const std::optional<std::vector<pack::block>> blocks = blocks_of(scene.load, scene.device.quantum);
    if (!blocks) return std::nullopt;
    const pack::packing result = pack::pack_into_least(*blocks, is_asked ? effort_asked : effort_unasked);
    if (!result.is_found() || stop_request::is_made()) return std::nullopt;
    return offline_figures{.bytes = result.bytes, .bound_bytes = result.lower_bound};
}

}  // namespace hbm::compare
