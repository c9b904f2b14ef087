/// Whole calls of managers as cells: training steps, runs that need relief, forks, plans and explanations.

#include <hbm/eviction/more_scores.hpp>
#include <hbm/explain/explanation.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>

#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "micro/catalogue.hpp"
#include "micro/peers.hpp"
#include "micro/replay.hpp"

namespace hbm::micro {

namespace {

constexpr std::uint32_t held_buffers = 300;
constexpr std::uint32_t step_outputs = 200;
constexpr memory_spec arena{.capacity = 16 * 1024 * mebibyte, .quantum = quantum};

/// Registers a cell. `prepare()` returns work, which makes `calls` calls and returns whether all succeeded. Only the
/// work is timed.
template <class Prepare>
void register_cell(const std::string& name, int calls, Prepare prepare) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) {
                                     bool succeeded = true;
                                     for ([[maybe_unused]] auto once : state) {
                                         auto work = prepare();
                                         const double from = processor_seconds();
                                         succeeded &= work();
                                         state.SetIterationTime(processor_seconds() - from);
                                     }
                                     if (!succeeded) state.SkipWithError("a call failed");
                                     state.counters["operations"] = calls;
                                 })
        ->UseManualTime()
        ->Iterations(1);
}

/// Training steps: a run with 200 outputs among 300 buffers. The outputs of the step before are freed by the caller, or
/// donated, and of ten the given number are taken over: others have a size that no output of the step before has.
class training {
public:
    training(std::uint64_t seed, bool donates, bool names_inputs, std::uint32_t taken_of_ten)
        : donates_(donates), names_inputs_(names_inputs), memory_(arena) {
        constexpr std::array<std::uint64_t, 12> sizes{2 * kibibyte,  16 * kibibyte, 96 * kibibyte, 256 * kibibyte,
                                                      mebibyte,      3 * mebibyte,  4 * mebibyte,  8 * mebibyte,
                                                      12 * mebibyte, 16 * mebibyte, 32 * mebibyte, 64 * mebibyte};
        random_numbers draw(seed);
        memory_.reserve_metadata(held_buffers + 2 * step_outputs + 1);
        program_ = memory_.load({.name = "step", .code = quantum}).value_or({});
        for (std::uint32_t at = 0; at < held_buffers; ++at)
            held_.push_back(memory_.allocate(sizes[draw.below(12)]).value_or({}));
        for (std::uint32_t at = 0; at < step_outputs; ++at) {
            const std::uint64_t size = sizes[draw.below(12)];
            const bool taken = at % 10 < taken_of_ten;
            outputs_[0].emplace_back(taken ? size : size + quantum);
            outputs_[1].emplace_back(taken ? size : size + 2 * quantum);
        }
        step(0);
    }
    bool step(int number) {
        run_spec spec{.outputs = outputs_[static_cast<std::size_t>(number % 2)]};
        if (names_inputs_) spec.inputs = held_;
        if (donates_) spec.donated = latest_.outputs;
        if (!memory_.run(program_, spec, latest_)) return false;
        if (!donates_)
            for (std::size_t at = latest_.outputs.size(); at != 0; --at) memory_.free(latest_.outputs[at - 1]);
        return true;
    }

private:
    bool donates_;
    bool names_inputs_;
    manager<best_fit, never_evict, donate_same_size, never_relieve> memory_;
    program program_;
    std::vector<buffer> held_;
    std::array<std::vector<output>, 2> outputs_;
    run_result latest_;
};

void register_training(std::uint64_t seed) {
    constexpr int steps = 200;
    const auto add = [seed](const std::string& name, bool donates, bool names_inputs, std::uint32_t taken_of_ten) {
        register_cell(name, steps, [=] {
            return [memory = std::make_unique<training>(seed, donates, names_inputs, taken_of_ten)] {
                for (int number = 1; number <= steps; ++number)
                    if (!memory->step(number)) return false;
                return true;
            };
        });
    };
    for (const bool names_inputs : {false, true}) {
        const std::string step = names_inputs ? "step_of_300_inputs/" : "step/";
        add(step + "outputs_freed", false, names_inputs, 0);
        add(step + "donated_none_taken", true, names_inputs, 0);
        add(step + "donated_half_taken", true, names_inputs, 5);
        add(step + "donated_all_taken", true, names_inputs, 10);
    }
}

/// Registers runs of 64 programs, of which about half fit, next to 300 buffers. The programs run in turn, so each run
/// reloads a program and evicts others.
void register_evicting(std::uint64_t seed) {
    constexpr int runs = 1000;
    register_cell("planning/evicting", runs, [=] {
        manager<best_fit, evict_lru> memory(arena);
        memory.reserve_metadata(1000);
        random_numbers draw(seed);
        for (std::uint32_t at = 0; at < held_buffers; ++at)
            (void)memory.allocate(draw.size_between(mebibyte, 64 * mebibyte) * quantum);
        std::vector<program> programs;
        while (programs.size() < 64)
            programs.push_back(
                memory.load({.name = "step", .code = draw.size_between(128 * mebibyte, 512 * mebibyte) * quantum})
                    .value_or({}));
        return [memory = std::move(memory), programs = std::move(programs)]() mutable {
            const std::array<output, 4> outputs{mebibyte, 2 * mebibyte, 3 * mebibyte, 4 * mebibyte};
            const std::uint64_t before = memory.done_so_far().evictions;
            for (std::size_t at = 0; at < runs; ++at) {
                const result<run_result> finished = memory.run(programs[at % programs.size()], {.outputs = outputs});
                if (!finished) return false;
                for (const buffer freed : finished->outputs) memory.free(freed);
            }
            return memory.done_so_far().evictions != before;
        };
    });
}

/// Registers runs in forks of a memory with about 1,000 buffers. Their output fits in no hole, but in the sum of all
/// holes.
void register_moving(std::uint64_t seed) {
    constexpr int runs = 500;
    register_cell("planning/moving_1000_blocks", runs, [=] {
        manager<compacting<best_fit>> memory(arena);
        memory.reserve_metadata(2000);
        random_numbers draw(seed);
        const program step = memory.load({.name = "step", .code = quantum}).value_or({});
        std::vector<buffer> held(1000);
        for (int at = 0; at < 20'000; ++at) {
            buffer& replaced = held[at < 1000 ? static_cast<std::uint32_t>(at) : draw.below(1000)];
            if (replaced) memory.free(replaced);
            const std::uint64_t bytes =  // 0.5 to 1.5 thousandths of the arena
                arena.capacity / 2300 + std::uint64_t{draw.below(arena.capacity / 1150 / quantum)} * quantum;
            replaced = memory.largest_free_bytes() < bytes ? buffer{} : memory.allocate(bytes).value_or({});
        }
        return [memory = std::move(memory), step] {
            const std::uint64_t bytes = memory.largest_free_bytes() + 4 * mebibyte;
            for (int at = 0; at < runs; ++at) {
                auto fork = memory.fork();
                if (!fork.run(step, {.outputs = {bytes}}) || fork.done_so_far().moves == 0) return false;
            }
            return true;
        };
    });
}

/// Registers forks of a manager over 16 GiB with 1,000 live blocks.
template <placement P>
void register_fork(std::uint64_t seed) {
    constexpr int forks = 1000;
    register_cell(std::string("fork/") + P::name.c_str(), forks, [=] {
        manager<P> memory(arena);
        random_numbers draw(seed);
        std::vector<buffer> held(1000);
        for (std::uint32_t at = 0; at < 11'000; ++at) {
            buffer& replaced = held[at < 1000 ? at : draw.below(1000)];
            if (replaced) memory.free(replaced);
            replaced = memory.allocate(draw.size_between(quantum, 64 * mebibyte) * quantum).value_or({});
        }
        return [memory = std::move(memory)] {
            for (int at = 0; at < forks; ++at) {
                const auto copy = memory.fork();
                look_at(copy);
            }
            return true;
        };
    });
}

/// Returns a memory full of blocks of up to 62 quanta, 24 of them programs; every tenth was freed.
template <class Memory>
Memory fragmented(std::uint32_t blocks, std::uint64_t seed) {
    Memory memory(memory_spec{.capacity = std::uint64_t{blocks} * 32 * quantum, .quantum = quantum});
    random_numbers draw(seed);
    std::vector<buffer> held;
    for (std::uint32_t at = 0;; ++at) {
        const std::uint64_t bytes = (1 + draw.below(62)) * quantum;
        if (memory.largest_free_bytes() < bytes) break;
        if (at % (blocks / 24) == 0 && at / (blocks / 24) < 24)
            (void)memory.load({.name = "program", .code = bytes, .reload_us = 1 + draw.below(1000)});
        else
            held.push_back(memory.allocate(bytes).value_or({}));
    }
    for (const buffer freed : held)
        if (draw.below(10) == 0) memory.free(freed);
    return memory;
}

/// Registers the cheapest plan for 1.5 times the longest hole, and for three times as much.
void register_plans(std::uint32_t blocks, std::uint64_t seed) {
    const int calls = blocks > 10'000 ? 3 : 30;
    for (const std::uint32_t halves : {3u, 6u}) {
        const std::string name = "plan_in_" + std::to_string(blocks) + "_blocks/" + (halves == 3 ? "1.5" : "3");
        register_cell(name + "_longest_holes", calls, [=] {
            return [memory = fragmented<manager<bottom_reserve<compacting<best_fit>>, evict_lru>>(blocks, seed), halves,
                    calls] {
                const auto& state = memory.state();
                const need<std::uint32_t> required{.length = state.blocks.largest_free() * halves / 2};
                const std::vector<std::uint64_t> scores(state.programs.size(), 1);
                for (int call = 0; call < calls; ++call) {
                    const planning_problem problem =
                        problem_of(state, std::span{&required, 1}, victims::window, std::span{scores});
                    if (!planner(problem).cheapest().found) return false;
                }
                return true;
            };
        });
    }
}

/// Registers the explanation of a request for nine tenths of the free bytes, among about 9,000 blocks.
template <class Memory>
void register_explanation(std::uint64_t seed) {
    constexpr int calls = 3;
    register_cell(std::string("explain/") + Memory::name.c_str(), calls, [=] {
        Memory memory = fragmented<Memory>(10'000, seed);
        const auto refused = memory.allocate(memory.free_bytes() / 10 * 9);
        return [memory = std::move(memory), refused] {
            if (refused) return false;
            for (int call = 0; call < calls; ++call) {
                const explanation found = explanation_of(memory, refused.error());
                if (found.effort > explain_options{}.effort) return false;
            }
            return true;
        };
    });
}

}  // namespace

void register_calls(const report_options& options) {
    register_training(options.seed + 2);
    register_evicting(options.seed + 5);
    register_moving(options.seed + 6);
    register_fork<best_fit>(options.seed + 1);
    register_fork<best_fit_lifo>(options.seed + 1);
    register_fork<good_fit>(options.seed + 1);
    register_fork<first_fit>(options.seed + 1);
    register_fork<buddy>(options.seed + 1);
    for (const std::uint32_t blocks : {100u, 1000u, 10'000u, 100'000u})
        if (blocks < 100'000 || options.full) register_plans(blocks, options.seed + blocks);
    register_explanation<manager<best_fit>>(options.seed);
    register_explanation<manager<first_fit, evict_greedy_dual>>(options.seed);
    register_explanation<manager<bottom_reserve<good_fit>, evict_lru>>(options.seed);
}

}  // namespace hbm::micro
