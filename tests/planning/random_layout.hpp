#pragma once

/// Small random layouts for tests of the search.

#include <hbm/planning/layout.hpp>
#include <hbm/testing/random.hpp>

#include <cstdint>
#include <string>

namespace hbm::test {

/// How large a random layout is, in quanta, and how many needs it has. Zero movable blocks in `movable_percent` make a
/// memory in which nothing may move.
struct layout_size {
    std::uint64_t min_capacity = 4;
    std::uint64_t max_capacity = 12;
    std::uint64_t max_block = 5;
    std::uint64_t max_programs = 4;
    std::uint64_t max_needs = 3;
    std::uint64_t movable_percent = 80;
};

/// Blocks at random places, some of them walls and some of programs, under any rule for scratch; sometimes a program
/// comes in, so that the reservation has to grow.
inline layout random_layout(testing::random_numbers& random, const layout_size& size) {
    layout made;
    made.device = {.bandwidth = 1'000'000'000, .copy_nanoseconds = random.below(3) * 700};
    made.capacity = size.min_capacity + random.up_to(size.max_capacity - size.min_capacity);
    made.rule = static_cast<scratch_rule>(random.below(3));
    const bool moving = random.below(100) < size.movable_percent;
    const std::uint64_t programs = random.up_to(size.max_programs);
    const std::uint64_t unit = size.max_capacity / 12;
    for (std::uint32_t slot = 0; slot < programs; ++slot) {
        evictable_program& added = made.programs.emplace_back();
        added.slot = slot;
        added.score = random.below(5);
        added.price = as_price(random.below(random.once_in(2) ? 4'000 : 12'000)) + random.below(programs);
        if (made.rule != scratch_rule::none) added.scratch = random.below(3) * unit;
    }
    if (made.rule != scratch_rule::none) {
        made.scratch_of_others = random.below(2) * unit;
        made.bottom = made.level() < made.capacity ? made.level() : made.capacity;
        if (made.level() > made.capacity) made.scratch_of_others = 0, made.rule = scratch_rule::none;
    }
    block_index next = 0;
    for (std::uint64_t at = made.bottom;;) {
        at += random.below(3) == 0 ? 1 + random.below(2 * unit) : 0;
        layout_block placed;
        placed.size = 1 + random.below(random.once_in(3) ? size.max_block : (size.max_block + 1) / 2);
        placed.alignment = random.once_in(5) ? std::uint64_t{1} << random.below(3) : 1;
        placed.offset = align_up(at, placed.alignment);
        if (placed.end() > made.capacity) break;
        at = placed.end();
        placed.block = next++;
        placed.movable = moving && !random.once_in(6);
        if (programs != 0 && random.once_in(2)) placed.program = static_cast<std::uint32_t>(random.below(programs));
        placed.price = as_move_price(made.device.move_nanoseconds(placed.size * made.device.quantum));
        if (placed.program != no_index) {
            made.programs[placed.program].size += placed.size;
            ++made.programs[placed.program].blocks;
        }
        made.blocks.push_back(placed);
    }
    const std::uint64_t needs = random.up_to(size.max_needs);
    if (made.rule != scratch_rule::none && (needs == 0 || random.once_in(2)))
        made.scratch_of_others += random.below(1 + (made.capacity - made.bottom) / 2);
    for (std::uint64_t at = 0; at < needs; ++at)
        made.needs.push_back({1 + random.below(1 + 2 * made.capacity / (2 + needs)),
                              random.once_in(4) ? std::uint64_t{1} << random.below(3) : 1});
    return made;
}

/// A layout in words, for messages.
inline std::string words_for(const layout& some) {
    std::string text = "capacity " + std::to_string(some.capacity) + ", bottom " + std::to_string(some.bottom) +
                       ", level " + std::to_string(some.level()) + ", rule " +
                       std::to_string(static_cast<int>(some.rule)) + ", others " +
                       std::to_string(some.scratch_of_others) + "; needs";
    for (const layout_need& need : some.needs)
        text += " " + std::to_string(need.length) + "@" + std::to_string(need.alignment);
    text += "; blocks";
    for (const layout_block& each : some.blocks)
        text += " [" + std::to_string(each.offset) + "," + std::to_string(each.end()) + ")@" +
                std::to_string(each.alignment) + (each.movable ? "m" : "") +
                (each.program == no_index ? "" : "p" + std::to_string(each.program));
    text += "; programs";
    for (const evictable_program& each : some.programs)
        text +=
            " " + std::to_string(each.price) + "/" + std::to_string(each.scratch) + "/" + std::to_string(each.score);
    return text;
}

}  // namespace hbm::test
