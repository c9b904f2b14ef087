#include "compare/read/jax/describe_profile.hpp"

#include <hbm/core/bytes.hpp>

#include <limits>

#include "compare/read/file_kind.hpp"
#include "compare/read/jax/memory_profile.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

std::map<std::pair<std::string_view, std::string_view>, profile_group> groups_of(const memory_profile& profile) {
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

reading<description> describe_profile(std::string_view text, const std::string& file) {
    const reading<memory_profile> read = read_pprof(text, file);
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
