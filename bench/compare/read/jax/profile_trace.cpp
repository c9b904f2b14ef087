#include "compare/read/jax/profile_trace.hpp"

#include "compare/read/reading.hpp"

namespace hbm::imported {

std::vector<std::string_view> devices_of(const memory_profile& profile) {
    std::vector<std::string_view> all;
    for (const profile_sample& each : profile.samples)
        if (!each.device.empty() && (all.empty() || all.back() != each.device)) all.push_back(each.device);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

bool names_device(std::string_view device, std::string_view name) noexcept {
    return device == name || device.substr(0, device.find('(')) == name;
}

std::vector<frame_rank> ranks_of(const memory_profile& profile) {
    std::vector<frame_rank> ranks;
    for (const stack_frame& each : profile.frames) ranks.push_back(rank_of(each));
    return ranks;
}

std::string tag_of(const memory_profile& profile, const std::vector<frame_rank>& ranks, const profile_sample& sample) {
    const stack_frame* best = nullptr;
    frame_rank rank = frame_rank::nothing;
    for (const std::uint32_t each : profile.stack_of(sample)) {
        if (ranks[each] > rank) {
            rank = ranks[each];
            best = &profile.frames[each];
        }
        if (rank == frame_rank::own) break;
    }
    const std::string kind = tag_of(stack_frame{.function = sample.kind, .file = {}});
    return best == nullptr ? kind : kind + ' ' + tag_of(*best);
}

trace::read_result trace_of(const memory_profile& profile, std::string file, std::string_view device) {
    return profile_tracer(profile, std::move(file)).trace_of(device);
}

}  // namespace hbm::imported
