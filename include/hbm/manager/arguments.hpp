#pragma once

/// Whether the handles that a call was given are good.

#include <hbm/core/error.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/state/memory_view.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// Whether the arguments of a run are good: live, nothing donated that has a reference from outside, nothing donated
/// twice, nothing both donated and used, no index beyond the donated ones, nothing kept twice. In the failure,
/// arguments are counted inputs first, then donated ones; an output or index that names no donated one is counted by
/// itself. Marks blocks and takes the marks back. O(arguments).
template <class Quanta>
[[nodiscard]] constexpr failure check_arguments(block_map<Quanta>& map, std::uint32_t salt,
                                                const run_spec& spec) noexcept {
    const auto inputs = static_cast<std::uint32_t>(spec.inputs.size());
    const auto donated = static_cast<std::uint32_t>(spec.donated.size());
    const auto first_donation = [&](buffer wanted) {
        std::uint32_t at = 0;
        while (!(spec.donated[at] == wanted)) ++at;
        return inputs + at;
    };
    failure why;
    bool referenced = false;
    std::uint32_t marked = 0;
    for (; marked < donated && why.reason == error::none; ++marked) {
        const buffer donor = spec.donated[marked];
        why.reason = check_buffer(map, salt, donor);
        why.argument = inputs + marked;
        if (why.reason != error::none) break;
        if (map.marked(donor.index)) {
            why.reason = error::donated_twice;
            why.first_use = first_donation(donor);
            break;
        }
        map.mark(donor.index);
        referenced = referenced || map.pins(donor.index) != 0;
    }
    for (std::uint32_t at = 0; at < inputs && why.reason == error::none; ++at) {
        const buffer input = spec.inputs[at];
        why.reason = check_buffer(map, salt, input);
        why.argument = at;
        if (why.reason == error::none && map.marked(input.index)) {
            why.reason = error::donated_and_used;
            why.argument = first_donation(input);
            why.first_use = at;
        }
    }
    for (const std::uint32_t kept : spec.kept) {
        if (why.reason != error::none) break;
        if (kept >= donated)
            why = {.reason = error::bad_argument, .argument = kept};
        else if (!map.marked(spec.donated[kept].index))
            why = {.reason = error::kept_twice, .argument = inputs + kept};
        else
            map.unmark(spec.donated[kept].index);
    }
    for (std::uint32_t at = 0; at < spec.outputs.size() && why.reason == error::none; ++at)
        if (spec.outputs[at].alias != aliasing::any && spec.outputs[at].partner >= donated)
            why = {.reason = error::bad_argument, .argument = at};
    for (std::uint32_t at = 0; at < marked; ++at) map.unmark(spec.donated[at].index);
    if (why.reason != error::none || !referenced) return why;
    // Those that are kept are not donated.
    for (const std::uint32_t kept : spec.kept) map.mark(spec.donated[kept].index);
    for (std::uint32_t at = 0; at < donated && why.reason == error::none; ++at)
        if (const block_index donor = spec.donated[at].index; !map.marked(donor) && map.pins(donor) != 0)
            why = {.reason = error::donor_is_referenced, .argument = inputs + at};
    for (const std::uint32_t kept : spec.kept) map.unmark(spec.donated[kept].index);
    return why;
}

}  // namespace hbm
