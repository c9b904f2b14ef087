#pragma once

/// Plans for `scheduled<P>`, at run time or while compiling.

#include <hbm/core/bisect.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/heap_sort.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/pack.hpp>
#include <hbm/placement/scheduled.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hbm::inline v0::pack {

namespace detail {

/// Writes the `below` of each planned block: sweeps over time with the live blocks in order of their offsets.
constexpr void link_neighbours(std::span<const block> blocks, std::span<scheduled_block> plan) {
    // Sweeps over the requests in their order. Those that ended are taken out before the next is put in, so the block
    // before its position, by offset, is the one right below it at that time.
    trivial_vector<std::uint32_t> by_end;
    for (std::uint32_t which = 0; which < blocks.size(); ++which) by_end.push_back(which);
    heap_sort(by_end, [&](std::uint32_t a, std::uint32_t b) {
        return blocks[a].end != blocks[b].end ? blocks[a].end < blocks[b].end : a < b;
    });
    trivial_vector<std::uint32_t> live;
    const auto position = [&](std::uint64_t offset) {
        return *least_enough(live.size(),
                             [&](std::size_t at) { return at == live.size() || plan[live[at]].offset >= offset; });
    };
    std::size_t ended = 0;
    for (std::uint32_t which = 0; which < blocks.size(); ++which) {
        for (; ended < by_end.size() && blocks[by_end[ended]].end <= blocks[which].begin; ++ended)
            live.erase(live.begin() + position(plan[by_end[ended]].offset));
        const std::size_t at = position(plan[which].offset);
        if (at != 0) plan[which].below = live[at - 1];
        live.insert(live.begin() + at, which);
    }
}

}  // namespace detail

/// Packs the requests of a program, in their order, and writes the plan to `plan`. Sizes and alignments are rounded up
/// to the quantum, as a manager does. Returns `nullopt` if a size exceeds 2^63 bytes or there are no blocks.
/// Requires: as many items in `plan` as blocks; ascending begins, ends after begins, no given offsets; `quantum` is a
/// power of two.
/// Cost: exponential in hard cases, within `limits`: the default of 10,000,000 states may take ten seconds for thirty
/// blocks with alignments. `{.max_steps = 0}` packs greedily.
[[nodiscard]] constexpr std::optional<schedule> plan_into(std::span<const block> blocks,
                                                          std::span<scheduled_block> plan, std::uint64_t quantum,
                                                          const effort& limits = {}) {
    if (blocks.empty()) return std::nullopt;
    trivial_vector<block> rounded;
    schedule result{.blocks = plan.first(blocks.size())};
    for (const block& item : blocks) {
        const std::optional<std::uint64_t> length = to_quanta<std::uint64_t>(item.bytes, quantum);
        if (!length) return std::nullopt;
        const std::uint64_t alignment = item.alignment > quantum ? item.alignment / quantum : 1;
        rounded.push_back({item.begin, item.end, *length, alignment, anywhere});
        if (alignment > result.alignment) result.alignment = alignment;
    }
    const packing packed = pack_into_least({rounded.data(), rounded.size()}, limits);
    if (packed.offsets.size() != blocks.size()) return std::nullopt;
    for (std::size_t at = 0; at < blocks.size(); ++at)
        plan[at] = {.offset = packed.offsets[at], .length = rounded[at].bytes};
    detail::link_neighbours(blocks, plan);
    result.height = packed.bytes;
    return result;
}

}  // namespace hbm::inline v0::pack
