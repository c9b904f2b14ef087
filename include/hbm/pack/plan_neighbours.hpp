#pragma once

/// Which block lies beneath each, where a plan is followed.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/known_sequence.hpp>
#include <hbm/pack/staying_blocks.hpp>
#include <hbm/placement/sequence_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::plan_detail {

/// Live blocks by offset.
class blocks_by_offset {
public:
    constexpr void insert(std::uint32_t offset, std::uint32_t event) {
        live_.insert(live_.begin() + place_of(offset), {offset, event});
    }
    constexpr void erase(std::uint32_t offset) {
        const std::size_t place = place_of(offset);
        if (place < live_.size()) live_.erase(live_.begin() + place);
    }
    /// The event of the highest block that begins below an offset, or `no_event`. O(log n).
    [[nodiscard]] constexpr std::uint32_t below(std::uint32_t offset) const noexcept {
        const std::size_t place = place_of(offset);
        return place == 0 ? no_event : live_[place - 1].event;
    }

private:
    struct lying {
        std::uint32_t offset = 0;
        std::uint32_t event = 0;
    };

    [[nodiscard]] constexpr std::size_t place_of(std::uint32_t offset) const noexcept {
        std::size_t low = 0;
        for (std::size_t high = live_.size(); low < high;) {
            const std::size_t middle = low + (high - low) / 2;
            if (live_[middle].offset < offset)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    trivial_vector<lying> live_;
};

/// Writes `plan_event::lower`, as it was when each step came first. `cuts` are the first events of the parts of the
/// sequence, and the end of the last. O(events x live blocks), most of it moves in memory.
constexpr void note_lower(sequence_plan& plan, const known_sequence& all, const trivial_vector<std::uint32_t>& cuts,
                          const staying_blocks& staying) {
    blocks_by_offset live;
    trivial_vector<std::uint32_t> event_of(all.lives().size(), no_event);
    trivial_vector<std::uint8_t> seen(plan.steps.size(), 0);
    for (std::size_t part = 0; part + 1 < cuts.size(); ++part) {
        const std::uint32_t step = plan.order[part];
        for (std::uint32_t at = cuts[part]; at < cuts[part + 1]; ++at) {
            const std::uint32_t request = all.events()[at].request;
            if (!all.events()[at].is_free) event_of[request] = plan.steps[step].first + at - cuts[part];
            plan_event& event = plan.events[event_of[request]];
            const std::uint32_t offset = staying.stays(request) ? staying.offset(request) : event.offset;
            if (all.events()[at].is_free) {
                live.erase(offset);
                continue;
            }
            if (seen[step] == 0) event.lower = live.below(offset);
            live.insert(offset, event_of[request]);
        }
        seen[step] = 1;
    }
}

}  // namespace hbm::plan_detail
