/// The cost of a manager's `run`: a training step, compared with the same placements without a manager, and runs that
/// need relief.

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "micro/peers.hpp"
#include "micro/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

constexpr std::uint32_t held_buffers = 300;
constexpr std::uint32_t step_outputs = 200;
constexpr std::uint64_t arena_bytes = 16 * 1024 * mebibyte;

/// The fate of the outputs of the step before: the caller frees them, or they are donated, and the given number of
/// ten are taken over.
struct manner {
    const char* words;
    bool donates;
    std::uint32_t taken_of_ten;
};

/// Sizes in quanta of the held buffers, and of the outputs of even and of odd steps. An output that must not be taken
/// over has a size that no output of the step before has.
struct step_sizes {
    std::vector<std::uint32_t> held;
    std::array<std::vector<std::uint32_t>, 2> outputs;

    step_sizes(std::uint64_t seed, std::uint32_t taken_of_ten) {
        constexpr std::uint64_t sizes[12] = {2 * kibibyte,  16 * kibibyte, 96 * kibibyte, 256 * kibibyte,
                                             mebibyte,      3 * mebibyte,  4 * mebibyte,  8 * mebibyte,
                                             12 * mebibyte, 16 * mebibyte, 32 * mebibyte, 64 * mebibyte};
        random_numbers draw(seed);
        const auto any_size = [&] { return static_cast<std::uint32_t>(sizes[draw.below(12)] / quantum); };
        for (std::uint32_t at = 0; at < held_buffers; ++at) held.push_back(any_size());
        for (std::uint32_t at = 0; at < step_outputs; ++at) {
            const std::uint32_t size = any_size();
            const bool taken = at % 10 < taken_of_ten;
            outputs[0].push_back(taken ? size : size + 1);
            outputs[1].push_back(taken ? size : size + 2);
        }
    }
    /// A capacity in quanta that is more than enough.
    [[nodiscard]] std::uint64_t capacity() const {
        std::uint64_t sum = 0;
        for (const std::uint32_t size : held) sum += size;
        for (const std::uint32_t size : outputs[1]) sum += 2 * size;
        return sum * 4 / 3;
    }
};

/// Training steps in a manager.
class managed_steps {
public:
    managed_steps(const step_sizes& sizes, const manner& how, bool names_inputs)
        : how_(how), names_inputs_(names_inputs),
          memory_(memory_spec{.capacity = sizes.capacity() * quantum, .quantum = quantum}) {
        memory_.reserve_metadata(held_buffers + 2 * step_outputs + 1);
        program_ = memory_.load({.name = "step", .code = quantum}).value_or({});
        for (const std::uint32_t size : sizes.held) held_.push_back(memory_.allocate(size * quantum).value_or({}));
        for (std::size_t parity = 0; parity < 2; ++parity)
            for (const std::uint32_t size : sizes.outputs[parity]) outputs_[parity].emplace_back(size * quantum);
    }

    /// Makes a step; false if it failed.
    bool step(std::size_t number) {
        run_spec spec{.outputs = outputs_[number % 2]};
        if (names_inputs_) spec.inputs = held_;
        if (how_.donates) spec.donated = latest_.outputs;
        if (!memory_.run(program_, spec, latest_)) return false;
        if (how_.donates) return true;
        for (std::size_t at = latest_.outputs.size(); at != 0; --at) memory_.free(latest_.outputs[at - 1]);
        return true;
    }
    /// The donor that each output took over in the last step.
    [[nodiscard]] std::span<const std::uint32_t> takers() const {
        return {latest_.donors.data(), latest_.donors.size()};
    }
    [[nodiscard]] std::vector<std::uint64_t> offsets() const {
        std::vector<std::uint64_t> all;
        for (const buffer each : latest_.outputs) all.push_back(memory_.where(each).offset / quantum);
        return all;
    }

private:
    manner how_;
    bool names_inputs_;
    manager<best_fit, never_evict, donate_same_size, never_relieve> memory_;
    program program_;
    std::vector<buffer> held_;
    std::array<std::vector<output>, 2> outputs_;
    run_result latest_;
};

/// Repeats the placements and releases of a run, in their order, in a placement without a manager.
class bare_steps {
public:
    bare_steps(const step_sizes& sizes, const manner& how)
        : how_(how), blocks_(static_cast<std::uint32_t>(sizes.capacity())) {
        blocks_.reserve_metadata(held_buffers + 2 * step_outputs + 1);
        blocks_.place({.length = 1});  // the program
        for (const std::uint32_t size : sizes.held) blocks_.place({.length = size});
        outputs_ = sizes.outputs;
    }
    /// Sets which output takes over which donor in the steps that follow.
    void follow(std::span<const std::uint32_t> takers) {
        std::vector<bool> taken(step_outputs, false);
        fresh_.clear();
        for (std::uint32_t at = 0; at < step_outputs; ++at) {
            if (takers[at] == no_index) {
                fresh_.push_back(at);
            } else {
                taken[takers[at]] = true;
                taken_.emplace_back(at, takers[at]);
            }
        }
        for (std::uint32_t at = 0; at < step_outputs; ++at)
            if (how_.donates && !taken[at]) released_.push_back(at);
    }
    /// The first step, which has no donors.
    void begin() {
        now_.clear();
        for (const std::uint32_t size : outputs_[0]) now_.push_back(blocks_.place({.length = size}));
        next_ = now_;
        if (!how_.donates) release_all();
    }
    void step(std::size_t number) {
        const std::vector<std::uint32_t>& sizes = outputs_[number % 2];
        for (const std::uint32_t at : fresh_) next_[at] = blocks_.place({.length = sizes[at]});
        for (const auto& [to, from] : taken_) next_[to] = now_[from];
        for (const std::uint32_t at : released_) blocks_.release(now_[at]);
        now_.swap(next_);
        if (!how_.donates) release_all();
    }
    [[nodiscard]] std::size_t calls() const { return fresh_.size() + (how_.donates ? released_.size() : step_outputs); }
    [[nodiscard]] std::vector<std::uint64_t> offsets() const {
        std::vector<std::uint64_t> all;
        for (const block_index each : now_) all.push_back(blocks_.map().offset(each));
        return all;
    }

private:
    void release_all() {
        for (std::size_t at = now_.size(); at != 0; --at) blocks_.release(now_[at - 1]);
    }

    manner how_;
    best_fit blocks_;
    std::array<std::vector<std::uint32_t>, 2> outputs_;
    std::vector<std::uint32_t> fresh_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> taken_;
    std::vector<std::uint32_t> released_;
    std::vector<block_index> now_;
    std::vector<block_index> next_;
};

/// Times both alternately and prints a line; false if their placements differ.
bool compare_steps(std::uint64_t seed, const manner& how, bool names_inputs) {
    constexpr int rounds = 21;
    constexpr std::size_t steps_a_round = 50;  // even, so that every round begins with the same sizes
    const step_sizes sizes(seed, how.taken_of_ten);
    managed_steps managed(sizes, how, names_inputs);
    bare_steps bare(sizes, how);
    bool good = managed.step(0) && managed.step(1);
    bare.begin();
    if (good) bare.follow(managed.takers());
    bare.step(1);
    std::vector<double> managed_times;
    std::vector<double> bare_times;
    for (int round = 0; round < rounds && good; ++round) {
        double from = processor_seconds();
        for (std::size_t number = 0; number < steps_a_round; ++number) good &= managed.step(number);
        managed_times.push_back(processor_seconds() - from);
        from = processor_seconds();
        for (std::size_t number = 0; number < steps_a_round; ++number) bare.step(number);
        bare_times.push_back(processor_seconds() - from);
        if (how.donates) good &= managed.offsets() == bare.offsets();
    }
    const double scale = 1e6 / static_cast<double>(steps_a_round);
    const double of_manager = quantile(managed_times, 0.5) * scale;
    const double of_placement = quantile(bare_times, 0.5) * scale;
    std::printf("%-34s %8s %10zu %10.2f %10.2f", how.words, names_inputs ? "300" : "none", bare.calls(), of_manager,
                of_placement);
    if (bare.calls() != 0)
        std::printf(" %8.2f", of_manager / of_placement);
    else
        std::printf(" %8s", "-");
    std::printf("%s\n", good ? "" : "  WRONG: a step failed, or went elsewhere than its placements");
    return good;
}

/// Microseconds of runs that needed relief.
void print_relief(const char* words, std::vector<std::uint64_t>& ticks, std::size_t runs) {
    std::printf("%-34s %8zu", words, ticks.size());
    for (const double share : {0.5, 0.99, 0.999, 1.0})
        std::printf(" %8.1f", static_cast<double>(quantile(ticks, share)) * stopwatch::tick() / 1000);
    std::printf("   of %zu runs\n", runs);
}

/// 64 programs, of which about half fit, and 300 buffers. The programs run in turn, so each run reloads a program and
/// evicts others.
bool report_eviction(std::uint64_t seed) {
    constexpr std::size_t runs = 5000;
    manager<best_fit, evict_lru> memory(memory_spec{.capacity = arena_bytes, .quantum = quantum});
    memory.reserve_metadata(1000);
    random_numbers draw(seed);
    bool good = true;
    for (std::uint32_t at = 0; at < held_buffers; ++at)
        good &= memory.allocate(draw.size_between(mebibyte, 64 * mebibyte) * quantum).has_value();
    std::vector<program> programs;
    for (int at = 0; at < 64; ++at)
        programs.push_back(
            memory.load({.name = "step", .code = draw.size_between(128 * mebibyte, 512 * mebibyte) * quantum})
                .value_or({}));
    std::vector<std::uint64_t> ticks;
    const std::array<output, 4> outputs{mebibyte, 2 * mebibyte, 3 * mebibyte, 4 * mebibyte};
    for (std::size_t at = 0; at < runs && good; ++at) {
        const std::uint64_t before = memory.done_so_far().evictions;
        const std::uint64_t from = stopwatch::begin();
        const result<run_result> made = memory.run(programs[at % programs.size()], {.outputs = outputs});
        const std::uint64_t took = stopwatch::end() - from;
        good &= made.has_value();
        if (!made) break;
        for (const buffer each : made->outputs) memory.free(each);
        if (memory.done_so_far().evictions != before) ticks.push_back(took);
    }
    print_relief("evicting programs", ticks, runs);
    return good;
}

/// 1,000 buffers in a memory that is nearly full, and an output that fits in no hole, but in the sum of all holes.
bool report_moving(std::uint64_t seed) {
    constexpr std::size_t runs = 5000;
    manager<compacting<best_fit>> memory(memory_spec{.capacity = arena_bytes, .quantum = quantum});
    memory.reserve_metadata(2000);
    random_numbers draw(seed);
    const program step = memory.load({.name = "step", .code = quantum}).value_or({});
    std::vector<buffer> held(1000);
    // Blocks of 0.5 to 1.5 thousandths of the arena. Only the run needs relief.
    const auto replace = [&](buffer& each) {
        if (each) memory.free(each);
        const std::uint64_t bytes =
            arena_bytes / 2300 + std::uint64_t{draw.below(arena_bytes / 1150 / quantum)} * quantum;
        each = memory.largest_free_bytes() < bytes ? buffer{} : memory.allocate(bytes).value_or({});
    };
    for (buffer& each : held) replace(each);
    std::vector<std::uint64_t> ticks;
    bool good = true;
    for (std::size_t at = 0; at < runs && good; ++at) {
        for (int churned = 0; churned < 20; ++churned) replace(held[draw.below(1000)]);
        const std::uint64_t bytes = memory.largest_free_bytes() + 4 * mebibyte;
        if (bytes > memory.free_bytes()) continue;
        const std::uint64_t before = memory.done_so_far().moves;
        const std::uint64_t from = stopwatch::begin();
        const result<run_result> made = memory.run(step, {.outputs = {bytes}});
        const std::uint64_t took = stopwatch::end() - from;
        good &= made.has_value() && memory.done_so_far().moves != before;
        if (!made) break;
        memory.free(made->outputs[0]);
        ticks.push_back(took);
    }
    print_relief("moving, 1,000 blocks", ticks, runs);
    return good;
}

}  // namespace

bool report_run(const report_options& options) {
    constexpr std::array manners{
        manner{"freed by the caller", false, 0},
        manner{"donated, none taken over", true, 0},
        manner{"donated, half taken over", true, 5},
        manner{"donated, all taken over", true, 10},
    };
    std::printf("A training step: one run with 200 outputs beside 300 buffers held, in microseconds, medians\n");
    std::printf("%-34s %8s %10s %10s %10s %8s\n", "outputs of the step before", "inputs", "bare calls", "manager",
                "bare", "ratio");
    bool good = true;
    for (const bool names_inputs : {false, true})
        for (const manner& each : manners) good &= compare_steps(options.seed + 2, each, names_inputs);
    std::printf("\nRuns that need relief, in microseconds\n");
    std::printf("%-34s %8s %8s %8s %8s %8s\n", "relief", "relieved", "p50", "p99", "p99.9", "max");
    good &= report_eviction(options.seed + 5);
    good &= report_moving(options.seed + 6);
    std::printf("\n");
    return good;
}

}  // namespace hbm::micro
