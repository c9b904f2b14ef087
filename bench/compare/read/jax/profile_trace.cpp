#include "compare/read/jax/profile_trace.hpp"

#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "compare/read/read_error.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

/// Returns the tag of a sample: its kind, and its innermost frame of the highest rank.
std::string tag_of(const memory_profile& profile, const std::vector<frame_rank>& ranks, const profile_sample& sample) {
    const stack_frame* best = nullptr;
    frame_rank rank = frame_rank::nothing;
    for (const std::uint32_t entry : profile.stack_of(sample)) {
        if (ranks[entry] <= rank) continue;
        rank = ranks[entry];
        best = &profile.frames[entry];
    }
    const std::string kind = tag_of(stack_frame{.function = sample.kind, .file = {}});
    return best == nullptr ? kind : kind + ' ' + tag_of(*best);
}

std::string listed(const std::vector<std::string_view>& devices) {
    constexpr std::size_t most = 16;
    std::string words;
    for (std::size_t at = 0; at < devices.size() && at < most; ++at)
        append_item(words, trace::quoted(devices[at].substr(0, devices[at].find('('))));
    return words + (devices.size() > most ? ", ..." : "");
}

}  // namespace

std::vector<std::string_view> devices_of(const memory_profile& profile) {
    std::vector<std::string_view> all;
    for (const profile_sample& sample : profile.samples)
        if (!sample.device.empty() && (all.empty() || all.back() != sample.device)) all.push_back(sample.device);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

bool names_device(std::string_view device, std::string_view name) noexcept {
    return device == name || device.substr(0, device.find('(')) == name;
}

trace::workload trace_of(const memory_profile& profile, const std::string& file, std::string_view name) {
    const std::vector<std::string_view> devices = devices_of(profile);
    auto device = devices.begin();
    if (!name.empty()) {
        device = std::find_if(devices.begin(), devices.end(),
                              [&](std::string_view entry) { return names_device(entry, name); });
        if (device == devices.end())
            throw trace::read_error(file, "no device " + trace::quoted(name),
                                    "one of the devices of the profile: " + listed(devices));
    }
    std::vector<frame_rank> ranks;
    for (const stack_frame& frame : profile.frames) ranks.push_back(rank_of(frame));
    trace::workload_builder builder(file);
    std::uint64_t unknown = 0;
    std::uint64_t buffers = 0;
    std::uint64_t executables = 0;
    for (const profile_sample& sample : profile.samples) {
        if (!sample.device.empty() && sample.device != *device) continue;
        // More objects than a replay of a single instant is good for.
        constexpr std::uint64_t max_objects = std::uint64_t{1} << 19U;
        if (sample.count > max_objects - builder.size())
            throw trace::read_error(file, "more than " + trace::decimal(max_objects) + " objects on a device",
                                    "a profile of fewer objects");
        if (sample.count == 0) continue;
        const std::optional<std::uint64_t> bytes = profile_sample_bytes(sample);
        if (!bytes) {
            unknown = saturating_add(unknown, sample.count);
            continue;
        }
        const std::string tag = tag_of(profile, ranks, sample);
        const bool is_program = sample.kind == "executable";
        for (std::uint64_t at = 0; at < sample.count; ++at) {
            const std::string id =
                is_program ? "executable" + trace::decimal(++executables) : "buffer" + trace::decimal(++buffers);
            // The bytes are those of all objects; should they not be a multiple of their number, their sum is right.
            // Ids are new and tags are valid, so no row is rejected.
            (void)builder.alloc(id, *bytes / sample.count + (at < *bytes % sample.count ? 1 : 0), tag);
        }
    }
    if (name.empty() && devices.size() > 1)
        builder.note("the profile has " + trace::decimal(devices.size()) + " devices, and this is " +
                     std::string(*device) + "; choose another with --device: " + listed(devices));
    if (unknown != 0)
        builder.note(trace::decimal(unknown) +
                     " executables whose size the profile does not state are left out: the memory holds more than the "
                     "trace");
    return std::move(builder).finish();
}

namespace {

/// The samples of one kind on one device.
struct profile_group {
    std::uint64_t samples = 0;
    std::uint64_t count = 0;            ///< objects
    std::int64_t space = 0;             ///< bytes as in the file: below 0 if it states -1 for an unknown size
    std::int64_t largest_sample = 0;    ///< bytes
    std::uint64_t of_unknown_size = 0;  ///< objects whose size the file does not state
};

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    if (b > 0 && a > most - b) return most;
    if (b < 0 && a < least - b) return least;
    return a + b;
}

}  // namespace

description describe(const memory_profile& profile) {
    std::map<std::pair<std::string_view, std::string_view>, profile_group> groups;
    for (const profile_sample& sample : profile.samples) {
        profile_group& group = groups[{sample.kind, sample.device}];
        ++group.samples;
        group.count = saturating_add(group.count, sample.count);
        group.space = saturated_sum(group.space, sample.space);
        group.largest_sample = std::max(group.largest_sample, sample.space);
        if (!profile_sample_bytes(sample)) group.of_unknown_size = saturating_add(group.of_unknown_size, sample.count);
    }
    described::list types;
    for (const auto& [type, unit] : profile.sample_types) types.push_back(described::list{type, unit});
    described::list rows;
    for (const auto& [name, group] : groups)
        rows.push_back(described::fields{{"kind", name.first},
                                         {"device", name.second},
                                         {"samples", group.samples},
                                         {"count", group.count},
                                         {"bytes", group.space},
                                         {"largest_sample_bytes", group.largest_sample},
                                         {"count_of_unknown_size", group.of_unknown_size}});
    description result{file_kind::profile};
    result.more = {{"sample_types", types},
                   {"samples", profile.samples.size()},
                   {"locations", profile.locations},
                   {"functions", profile.functions},
                   {"groups", rows}};
    return result;
}

}  // namespace hbm::imported
