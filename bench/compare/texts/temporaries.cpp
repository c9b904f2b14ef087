#include "compare/texts/temporaries.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/pack/pack.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "compare/texts/programs.hpp"

namespace hbm::compare {

namespace {

using imported::imported_program;
using imported::temporary_value;

/// Limits of packing: some hundredths of a second.
constexpr pack::effort little_effort{.max_steps = 5'000, .max_looks = 5'000'000};

/// Returns the largest power of two that divides all offsets, at most 1,024.
std::uint64_t alignment_of(const std::vector<temporary_value>& values) noexcept {
    std::uint64_t alignment = 1024;
    for (const temporary_value& value : values)
        while (value.offset % alignment != 0) alignment /= 2;
    return alignment;
}

/// Sets the instruction at which most bytes are live.
void find_peak(const std::vector<temporary_value>& values, temporaries_use& use) {
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> changes;  // bytes that begin and that end
    for (const temporary_value& value : values) {
        auto& begins = changes[value.begin].first;
        begins = saturating_add(begins, value.bytes);
        if (value.end == ~std::uint64_t{0}) continue;
        auto& ends = changes[value.end + 1].second;
        ends = saturating_add(ends, value.bytes);
    }
    std::uint64_t live = 0;
    for (const auto& [at, change] : changes) {
        live = saturating_add(live - std::min(live, change.second), change.first);
        if (live <= use.peak_bytes) continue;
        use.peak_bytes = live;
        use.peak_at = at;
    }
}

void group_live(const std::vector<temporary_value>& values, temporaries_use& use) {
    std::map<std::tuple<std::string, std::string, std::uint64_t>, temporary_group> groups;
    for (const temporary_value& value : values) {
        if (use.peak_at < value.begin || value.end < use.peak_at) continue;
        temporary_group& group = groups[{value.name, value.shape, value.bytes}];
        group.first = &value;
        ++group.count;
    }
    for (const auto& [key, group] : groups) use.groups.push_back(group);
    const auto bytes_of = [](const temporary_group& group) {
        return saturating_multiply(group.first->bytes, group.count);
    };
    std::sort(use.groups.begin(), use.groups.end(), [&](const temporary_group& a, const temporary_group& b) {
        return std::tuple(bytes_of(b), std::string_view(a.first->name), a.first) <
               std::tuple(bytes_of(a), std::string_view(b.first->name), b.first);
    });
}

}  // namespace

temporaries_use use_of_temporaries(const imported_program& program) {
    temporaries_use use;
    find_peak(program.temporaries, use);
    group_live(program.temporaries, use);
    use.height = program.temporaries_height;
    const std::uint64_t alignment = alignment_of(program.temporaries);
    std::vector<pack::block> blocks;
    for (const temporary_value& value : program.temporaries)
        blocks.push_back(
            {.begin = value.begin, .end = saturating_add(value.end, 1), .bytes = value.bytes, .alignment = alignment});
    const pack::packing packed = pack::pack_into_least(blocks, little_effort);
    use.best = packed.is_found() ? packed.bytes : 0;
    use.bound = packed.lower_bound;
    return use;
}

std::string temporaries_note(const temporaries_use& use, const std::string& name) {
    constexpr std::size_t most = 5;
    const bool is_better = use.best != 0 && use.best < use.height;
    const std::string packing =
        filled(use.best == 0 ? texts::too_many
               : is_better   ? (use.best == use.bound ? texts::better_packing : texts::better_packing_at_most)
               : use.bound >= use.height ? texts::best_packing
                                         : texts::no_better_packing,
               {{"best", size_in_words(use.best)}, {"more", size_in_words(is_better ? use.height - use.best : 0)}});
    std::string groups;
    for (std::size_t at = 0; at < std::min(most, use.groups.size()); ++at) {
        const temporary_group& group = use.groups[at];
        groups += filled(texts::temporary_group, {{"count", grouped_digits(group.count)},
                                                  {"bytes", size_in_words(group.first->bytes)},
                                                  {"shape", group.first->shape},
                                                  {"name", group.first->name}});
    }
    if (use.groups.size() > most)
        groups += filled(texts::smaller_groups, {{"groups", counted(use.groups.size() - most, "smaller group")}});
    return filled(texts::temporaries, {{"program", name},
                                       {"instruction", grouped_digits(use.peak_at)},
                                       {"live", size_in_words(use.peak_bytes)},
                                       {"height", size_in_words(use.height)},
                                       {"packing", packing},
                                       {"groups", groups}});
}

}  // namespace hbm::compare
