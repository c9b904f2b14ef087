/// The time to plan the cheapest relief.

#include <hbm/hbm.hpp>

#include <cstdio>
#include <vector>

#include "micro/cheapest_slide.hpp"
#include "micro/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

using placement_type = bottom_reserve<compacting<best_fit>>;
using state_type = memory_state<placement_type>;

/// Many blocks, a tenth of them free, 24 of them programs.
state_type fragmented(std::uint32_t blocks, random_numbers& draw) {
    state_type state;
    state.blocks = placement_type(blocks * 32);
    state.spec.capacity = blocks * 32 * quantum;
    std::vector<block_index> held;
    for (;;) {
        const block_index block = state.blocks.place({.length = 1 + draw.below(62)});
        if (block == no_block) break;
        held.push_back(block);
    }
    for (std::uint32_t slot = 0; slot < 24; ++slot) {
        const block_index block = held[held.size() / 24 * slot];
        const std::uint64_t code = state.blocks.map().size(block) * quantum;
        state.blocks.map().set_owner(block, block_kind::code, slot);
        state.programs.push_back({.code = code,
                                  .reload_nanoseconds = state.spec.reload_nanoseconds(code) + draw.below(1'000'000),
                                  .code_block = block,
                                  .generation = 1,
                                  .resident = true});
    }
    for (const block_index block : held)
        if (state.blocks.map().kind(block) == block_kind::data && draw.below(10) == 0) state.blocks.release(block);
    return state;
}

/// The median of a few calls, in microseconds.
template <class Work>
double microseconds(int calls, Work work) {
    std::vector<std::uint64_t> ticks;
    for (int call = 0; call < calls; ++call) {
        const std::uint64_t from = stopwatch::begin();
        work();
        ticks.push_back(stopwatch::end() - from);
    }
    return static_cast<double>(quantile(ticks, 0.5)) * stopwatch::tick() / 1000;
}

bool print_line(const char* words, const state_type& state, std::uint32_t quanta, int calls) {
    const need<std::uint32_t> required{.length = quanta};
    const std::vector<std::uint64_t> scores(state.programs.size(), 1);
    const auto movable = [&](block_index block) { return state.can_move(block); };
    std::size_t moved = 0;
    const double slide = microseconds(calls, [&] {
        const auto moves = cheapest_slide(state.blocks.map(), required, state.spec, movable);
        moved = moves ? moves->size() : 0;
    });
    planning_result result;
    const double whole = microseconds(calls, [&] {
        const planning_problem problem = problem_of(state, std::span{&required, 1}, victims::window, std::span{scores});
        result = planner(problem).cheapest();
    });
    if (!result.found) return false;
    std::printf("%-22s %8u %10.1f %10.1f %6zu %6zu %12.1f %14.1f\n", words, state.blocks.map().live_blocks(), slide,
                whole, moved, result.found->steps.size(), static_cast<double>(result.found->nanoseconds) / 1000,
                static_cast<double>(result.found->lower_bound) / 1000);
    return true;
}

}  // namespace

bool report_plans(const report_options& options) {
    std::printf(
        "Planning relief, in microseconds: the best slide alone, and the cheapest plan, with 24 programs; what the "
        "plan costs on the device, and what no plan is under\n");
    std::printf("%-22s %8s %10s %10s %6s %6s %12s %14s\n", "length", "blocks", "slide", "plan", "slid", "steps",
                "costs", "nothing under");
    bool good = true;
    for (const std::uint32_t blocks : {100u, 1000u, 10'000u, 100'000u, 1'000'000u}) {
        if (blocks == 1'000'000 && !options.full) break;
        random_numbers draw(options.seed + blocks);
        const state_type state = fragmented(blocks, draw);
        const int calls = blocks > 10'000 ? 5 : 101;
        const std::uint32_t largest = state.blocks.largest_free();
        good &= print_line("3/2 of the largest hole", state, largest * 3 / 2, calls);
        good &= print_line("3 times the largest", state, largest * 3, calls);
    }
    std::printf("\n");
    return good;
}

}  // namespace hbm::micro
