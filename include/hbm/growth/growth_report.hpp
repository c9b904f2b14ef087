#pragma once

/// What grows in a manager that has the observer `growth_by_tag`.

#include <hbm/events/observers.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/growth/growth_summary.hpp>
#include <hbm/growth/growth_text.hpp>
#include <hbm/manager.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hbm {

namespace growth_words {

/// The same for what an observer knows; `name_of` gives the name of a tag.
template <class NameOf>
[[nodiscard]] growth_summary summary_of(const growth_by_tag& seen, std::uint64_t capacity, std::uint64_t room,
                                        NameOf name_of) {
    const growth_tally& tally = seen.tally();
    growth_summary found{.steps = seen.steps(), .capacity = capacity, .scratch_bytes = capacity - room};
    found.peak_bytes = tally.peak_bytes();
    found.peak_step = tally.peak_step();
    found.end_bytes = tally.total().bytes;
    found.growth = tally.total().series.growing();
    found.spike = tally.total().series.spike();
    found.has_tags = true;
    for (std::size_t number = 0; number < tally.size(); ++number) {
        const tallied_tag& of = tally[number];
        tag_growth its{.is_programs = number == 0, .is_several = number == tally.most_tags()};
        const auto label = static_cast<tag>(number - 1);
        if (!its.is_programs && !its.is_several) its.name = name_of(label);
        its.at_peak = {tally.bytes_at_peak(of), tally.count_at_peak(of)};
        its.at_end = {of.bytes, of.count};
        if (of.count != 0 && !its.is_programs && !its.is_several)
            its.at_end.oldest_steps = seen.use_of(label).oldest_steps;
        its.most = std::max(of.series.highest_bytes(), of.most);
        its.growth = of.series.growing();
        if (found.growth) its.risen_bytes = of.series.risen_since(found.growth->since);
        if (its.most != 0) found.tags.push_back(std::move(its));
    }
    return found;
}

}  // namespace growth_words

/// What grows in `memory`, whose observer is `growth_by_tag`, alone or among others: `to_text` and `to_json` print it.
/// A manager without that observer gives an empty summary. O(blocks x tags).
template <class Memory>
[[nodiscard]] growth_summary growth_of(const Memory& memory) {
    const growth_by_tag* const seen = observer_in<growth_by_tag>(memory.events());
    if (seen == nullptr) return {};
    growth_summary found = growth_words::summary_of(*seen, memory.capacity_bytes(), seen->room_in(memory),
                                                    [&](tag label) { return memory.name_of(label); });
    rank(found);
    return found;
}

}  // namespace hbm
