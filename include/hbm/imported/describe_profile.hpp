#pragma once
// What --describe says of a device memory profile of JAX.

#include <hbm/core/bytes.hpp>
#include <hbm/imported/description.hpp>
#include <hbm/imported/pprof.hpp>
#include <hbm/report/json_writer.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace hbm::imported {

/// The samples of one kind on one device.
struct profile_group {
    std::uint64_t samples = 0;
    std::uint64_t count = 0;            ///< objects
    std::int64_t space = 0;             ///< as the file has it: below 0 where it says -1 for an unknown size
    std::int64_t largest_sample = 0;    ///< bytes
    std::uint64_t of_unknown_size = 0;  ///< objects whose size the file does not say
};

/// The samples of a profile by kind and device. Sums stop at the largest number. O(samples log(groups)).
[[nodiscard]] inline std::map<std::pair<std::string_view, std::string_view>, profile_group>
groups_of(const memory_profile& profile) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::map<std::pair<std::string_view, std::string_view>, profile_group> groups;
    for (const profile_sample& each : profile.samples) {
        profile_group& group = groups[{each.kind, each.device}];
        ++group.samples;
        group.count = saturating_add(group.count, each.count);
        if (each.space > 0 ? group.space > most - each.space : group.space < least - each.space)
            group.space = each.space > 0 ? most : least;
        else
            group.space += each.space;
        if (each.space > group.largest_sample) group.largest_sample = each.space;
        if (!profile_sample_bytes(each)) group.of_unknown_size = saturating_add(group.of_unknown_size, each.count);
    }
    return groups;
}

/// Describes a profile. It has no arguments, outputs or temporaries, so those are null.
[[nodiscard]] inline outcome<description> describe_profile(std::string_view text, const std::string& file) {
    const outcome<memory_profile> read = read_pprof(text, file);
    if (!read) return read.error();
    const auto number = [](std::uint64_t value) { return trace::decimal(value); };
    json_writer types;
    types.begin_array();
    for (const auto& [type, unit] : read->sample_types) {
        types.begin_array();
        types.value(type);
        types.value(unit);
        types.end_array();
    }
    types.end_array();
    json_writer groups;
    groups.begin_array();
    for (const auto& [name, group] : groups_of(*read)) {
        groups.begin_object();
        groups.field("kind", name.first);
        groups.field("device", name.second);
        groups.field("samples", group.samples);
        groups.field("count", group.count);
        groups.key("bytes");
        groups.literal(std::to_string(group.space));
        groups.key("largest_sample_bytes");
        groups.literal(std::to_string(group.largest_sample));
        groups.field("count_of_unknown_size", group.of_unknown_size);
        groups.end_object();
    }
    groups.end_array();
    description made;
    made.kind = file_kind::profile;
    made.more = {{"sample_types", types.text()},
                 {"samples", number(read->samples.size())},
                 {"locations", number(read->locations)},
                 {"functions", number(read->functions)},
                 {"groups", groups.text()}};
    return made;
}

}  // namespace hbm::imported
