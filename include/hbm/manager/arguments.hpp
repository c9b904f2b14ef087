#pragma once

#include <hbm/core/error.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/state/memory_view.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

namespace detail {

[[nodiscard]] constexpr bool partners_are_donated(const run_spec& spec, std::uint32_t& output,
                                                  std::uint32_t& named) noexcept {
    for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
        if (spec.outputs[at].alias == aliasing::any || spec.outputs[at].partner < spec.donated.size()) continue;
        output = at;
        named = spec.outputs[at].partner;
        return false;
    }
    return true;
}

template <class Quanta>
[[gnu::cold, gnu::noinline]] constexpr void unmark_first(block_map<Quanta>& map, const list<buffer>& buffers,
                                                         std::size_t count) noexcept {
    for (std::size_t at = 0; at < count; ++at) map.unmark(buffers[at].index);
}

/// Fast path of `check_arguments`: returns true if handles are valid, nothing is repeated wrongly, pinned or kept, and
/// outputs have their partners. Then leaves donated blocks marked.
template <class Quanta>
[[nodiscard]] constexpr bool are_plain(block_map<Quanta>& map, std::uint32_t salt, const run_spec& spec,
                                       bool bound) noexcept {
    // Nearly all runs are plain, and one pass over the arguments says so. It does not say what is wrong if they are
    // not: that takes more passes, which only a refused run pays for.
    std::uint32_t output = 0;
    std::uint32_t partner = 0;
    bool plain = spec.kept.empty() && (!bound || partners_are_donated(spec, output, partner));
    std::size_t marked = 0;
    for (const buffer donor : spec.donated) {
        plain = plain && donor.salt == salt && map.is_unmarked_and_unpinned(donor.index, donor.generation);
        if (!plain) [[unlikely]]
            break;
        map.mark(donor.index);
        ++marked;
    }
    for (const buffer input : spec.inputs)
        plain = plain && input.salt == salt && map.is_unmarked(input.index, input.generation);
    if (!plain) [[unlikely]]
        unmark_first(map, spec.donated, marked);
    return plain;
}

/// Slow path of `check_arguments`. Leaves no marks; sets `why` if it returns false.
template <class Quanta>
[[nodiscard, gnu::cold, gnu::noinline]] constexpr bool check_closely(block_map<Quanta>& map, std::uint32_t salt,
                                                                     const run_spec& spec, failure& why) noexcept {
    // Donors are marked, so a second use is seen at once, and only then is the first one looked up. Pins are checked
    // last: a donor that is pinned may be donated if the call keeps it.
    const auto inputs = static_cast<std::uint32_t>(spec.inputs.size());
    const auto donated = static_cast<std::uint32_t>(spec.donated.size());
    const auto first_donation = [&](buffer required) {
        std::uint32_t at = 0;
        while (!(spec.donated[at] == required)) ++at;
        return inputs + at;
    };
    error reason = error::none;
    std::uint32_t argument = no_index;
    std::uint32_t first_use = no_index;
    bool referenced = false;
    std::uint32_t marked = 0;
    for (; marked < donated && reason == error::none; ++marked) {
        const buffer donor = spec.donated[marked];
        reason = check_buffer(map, salt, donor);
        argument = inputs + marked;
        if (reason != error::none) break;
        if (map.marked(donor.index)) {
            reason = error::donated_twice;
            first_use = first_donation(donor);
            break;
        }
        map.mark(donor.index);
        referenced = referenced || map.pins(donor.index) != 0;
    }
    for (std::uint32_t at = 0; at < inputs && reason == error::none; ++at) {
        const buffer input = spec.inputs[at];
        reason = check_buffer(map, salt, input);
        argument = at;
        if (reason == error::none && map.marked(input.index)) {
            reason = error::donated_and_used;
            argument = first_donation(input);
            first_use = at;
        }
    }
    for (const std::uint32_t kept : spec.kept) {
        if (reason != error::none) break;
        if (kept >= donated) {
            reason = error::bad_argument;
            argument = no_index;
            first_use = kept;
        } else if (!map.marked(spec.donated[kept].index)) {
            reason = error::kept_twice;
            argument = inputs + kept;
        } else {
            map.unmark(spec.donated[kept].index);
        }
    }
    if (reason == error::none && !partners_are_donated(spec, argument, first_use)) reason = error::bad_argument;
    unmark_first(map, spec.donated, marked);
    if (reason == error::none && referenced) {
        for (const std::uint32_t kept : spec.kept) map.mark(spec.donated[kept].index);
        for (std::uint32_t at = 0; at < donated && reason == error::none; ++at) {
            const block_index donor = spec.donated[at].index;
            if (map.marked(donor) || map.pins(donor) == 0) continue;
            reason = error::donor_is_referenced;
            argument = inputs + at;
        }
        for (const std::uint32_t kept : spec.kept) map.unmark(spec.donated[kept].index);
    }
    if (reason == error::none) return true;
    why.reason = reason;
    why.argument = argument;
    why.first_use = first_use;
    return false;
}

}  // namespace detail

/// Checks a run's arguments: handles, double use, references from outside, indices. Sets `why` if it returns false.
/// For a bad index of an output, `argument` is the output and `first_use` the index; for one of `kept`, `first_use`.
/// Sets `offered` to the granted quanta of donors, 0 if kept. `bound` is false only if no output has a partner.
template <class Quanta>
[[nodiscard]] constexpr bool check_arguments(block_map<Quanta>& map, std::uint32_t salt, const run_spec& spec,
                                             bool bound, trivial_vector<std::uint64_t>& offered, failure& why) {
    if (!detail::are_plain(map, salt, spec, bound) && !detail::check_closely(map, salt, spec, why)) return false;
    offered.resize_for_overwrite(spec.donated.size());
    std::uint64_t* granted = offered.data();
    for (const buffer donor : spec.donated) {
        map.unmark(donor.index);
        *granted++ = map.granted(donor.index);
    }
    for (const std::uint32_t kept : spec.kept) offered[kept] = 0;
    return true;
}

}  // namespace hbm::inline v0
