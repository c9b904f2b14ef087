#include "compare/read/jax/profile_trace.hpp"

#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "compare/read/file_kind.hpp"
#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/read_error.hpp"
#include "compare/replay/workload.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

/// Builder of the trace of a profile.
class profile_tracer {
public:
    /// More objects than a replay of a single instant is good for.
    static constexpr std::uint64_t max_objects = std::uint64_t{1} << 19U;

    /// `profile` must outlive the tracer; `file` becomes the name of the workload.
    profile_tracer(const memory_profile& profile, std::string file)
        : profile_(profile), ranks_(ranks_of(profile)), file_(std::move(file)), builder_(file_) {}

    /// Returns the trace of the device `name`; of the first device in alphabetical order if that is empty.
    /// Cost: O(objects + frames).
    trace::read_result trace_of(std::string_view name) {
        const std::vector<std::string_view> devices = devices_of(profile_);
        std::string_view device = devices.empty() ? std::string_view{} : devices.front();
        if (!name.empty()) {
            const auto match = std::find_if(devices.begin(), devices.end(),
                                            [&](std::string_view entry) { return names_device(entry, name); });
            if (match == devices.end())
                return refuse("no device " + trace::quoted(name),
                              "one of the devices of the profile: " + listed(devices));
            device = *match;
        }
        for (const profile_sample& entry : profile_.samples) {
            if (!entry.device.empty() && entry.device != device) continue;
            if (entry.count > max_objects - builder_.size())
                return refuse("more than " + trace::decimal(max_objects) + " objects on a device",
                              "a profile of fewer objects");
            add(entry);
        }
        if (name.empty() && devices.size() > 1)
            builder_.note("the profile has " + trace::decimal(devices.size()) + " devices, and this is " +
                          std::string(device) + "; choose another with --device: " + listed(devices));
        if (unknown_ != 0)
            builder_.note(trace::decimal(unknown_) +
                          " executables whose size the profile does not state are left out: the memory holds more than "
                          "the trace");
        return std::move(builder_).finish();
    }

private:
    void add(const profile_sample& sample) {
        if (sample.count == 0) return;
        const std::optional<std::uint64_t> bytes = profile_sample_bytes(sample);
        if (!bytes) {
            unknown_ = saturating_add(unknown_, sample.count);
            return;
        }
        const std::string tag = tag_of(profile_, ranks_, sample);
        const bool is_program = sample.kind == "executable";
        // The values are count and count times size; should they ever disagree, the sum of the sizes is right.
        const std::uint64_t left_over = *bytes % sample.count;
        for (std::uint64_t at = 0; at < sample.count; ++at) {
            std::uint64_t& number = is_program ? executables_ : buffers_;
            const std::string id = (is_program ? "executable" : "buffer") + trace::decimal(++number);
            // Ids are new and tags are valid, so no row is rejected.
            (void)builder_.alloc(id, *bytes / sample.count + (at < left_over ? 1 : 0), tag);
        }
    }

    static std::string listed(const std::vector<std::string_view>& devices) {
        constexpr std::size_t most = 16;
        std::string words;
        for (std::size_t at = 0; at < devices.size() && at < most; ++at)
            words += (at == 0 ? "" : ", ") + trace::quoted(devices[at].substr(0, devices[at].find('(')));
        return words + (devices.size() > most ? ", ..." : "");
    }

    trace::read_error refuse(std::string content, std::string expected) const {
        return {file_, 0, 0, std::move(content), std::move(expected)};
    }

    const memory_profile& profile_;
    std::vector<frame_rank> ranks_;
    std::string file_;
    trace::workload_builder builder_;
    std::uint64_t unknown_ = 0;
    std::uint64_t buffers_ = 0;
    std::uint64_t executables_ = 0;
};

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

std::vector<frame_rank> ranks_of(const memory_profile& profile) {
    std::vector<frame_rank> ranks;
    for (const stack_frame& frame : profile.frames) ranks.push_back(rank_of(frame));
    return ranks;
}

std::string tag_of(const memory_profile& profile, const std::vector<frame_rank>& ranks, const profile_sample& sample) {
    const stack_frame* best = nullptr;
    frame_rank rank = frame_rank::nothing;
    for (const std::uint32_t entry : profile.stack_of(sample)) {
        if (ranks[entry] > rank) {
            rank = ranks[entry];
            best = &profile.frames[entry];
        }
        if (rank == frame_rank::own) break;
    }
    const std::string kind = tag_of(stack_frame{.function = sample.kind, .file = {}});
    return best == nullptr ? kind : kind + ' ' + tag_of(*best);
}

trace::read_result trace_of(const memory_profile& profile, std::string file, std::string_view device) {
    return profile_tracer(profile, std::move(file)).trace_of(device);
}

std::map<std::pair<std::string_view, std::string_view>, profile_group> groups_of(const memory_profile& profile) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::map<std::pair<std::string_view, std::string_view>, profile_group> groups;
    for (const profile_sample& sample : profile.samples) {
        profile_group& group = groups[{sample.kind, sample.device}];
        ++group.samples;
        group.count = saturating_add(group.count, sample.count);
        if (sample.space > 0 ? group.space > most - sample.space : group.space < least - sample.space)
            group.space = sample.space > 0 ? most : least;
        else
            group.space += sample.space;
        if (sample.space > group.largest_sample) group.largest_sample = sample.space;
        if (!profile_sample_bytes(sample)) group.of_unknown_size = saturating_add(group.of_unknown_size, sample.count);
    }
    return groups;
}

reading<description> describe_profile(std::string_view text, const std::string& file) {
    const reading<memory_profile> read = read_pprof(text, file);
    if (!read) return read.error();
    const auto number = [](std::uint64_t value) { return trace::decimal(value); };
    json_writer types;
    types.array(read->sample_types, [&](const auto& type) { types.values(std::array{type.first, type.second}); });
    json_writer groups;
    groups.objects(groups_of(*read), [&](const auto& entry) {
        const auto& [name, group] = entry;
        groups.field("kind", name.first);
        groups.field("device", name.second);
        groups.field("samples", group.samples);
        groups.field("count", group.count);
        groups.literal("bytes", std::to_string(group.space));
        groups.literal("largest_sample_bytes", std::to_string(group.largest_sample));
        groups.field("count_of_unknown_size", group.of_unknown_size);
    });
    description result;
    result.kind = file_kind::profile;
    result.more = {{"sample_types", types.text()},
                   {"samples", number(read->samples.size())},
                   {"locations", number(read->locations)},
                   {"functions", number(read->functions)},
                   {"groups", groups.text()}};
    return result;
}

}  // namespace hbm::imported
