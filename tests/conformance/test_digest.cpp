// One number of a long mixed run: equal for every compiler, standard library, optimisation and width of quanta.
#include <hbm/compact.hpp>
#include <hbm/hbm.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace hbm::test::digest_tests {

namespace {

/// Calls of a manager, and the digest of all that they return: FNV-1a over numbers of 64 bits.
template <class Manager>
class mixed_run {
public:
    explicit mixed_run(std::uint64_t seed) : random_(seed) {}

    std::uint64_t digest(int steps) {
        for (int step = 1; step <= steps; ++step) {
            call();
            fold({memory_.free_bytes(), memory_.largest_free_bytes(), memory_.live_bytes(), memory_.reserved_bytes(),
                  memory_.reservable_bytes(), memory_.issued().number, memory_.reached().number,
                  memory_.flights().size()});
            if (step % 64 == 0) fold_blocks();
        }
        fold({memory_.peak_live_bytes(), memory_.highest_end_bytes()});
        for (const std::uint64_t count : std::bit_cast<std::array<std::uint64_t, sizeof(totals) / 8>>(counts()))
            fold({count});
        return digest_;
    }
    const totals& counts() const { return memory_.done_so_far(); }

private:
    void fold(std::initializer_list<std::uint64_t> all) {
        for (const std::uint64_t number : all) digest_ = (digest_ ^ number) * 0x100000001b3;
    }
    void fold(extent range) { fold({range.offset, range.size}); }
    void fold(const failure& why) {
        fold({static_cast<std::uint64_t>(why.reason), why.requested, why.free, why.largest_free, why.reserved,
              why.reservable, static_cast<std::uint64_t>(why.label), why.argument, why.first_use,
              std::uint64_t{why.at_the_bottom}, why.alignment, why.code, why.scratch, why.slot});
    }
    void fold(const result<done>& outcome) { fold(outcome ? failure{} : outcome.error()); }
    void fold_blocks() {
        for (const block_view& block : memory_.blocks_and_holes()) {
            fold(block.where);
            fold({static_cast<std::uint64_t>(block.kind), block.granted, block.pins, block.holds, block.owner});
        }
    }
    template <class Handle>
    void keep(std::vector<Handle>& handles, const result<Handle>& outcome) {
        if (!outcome) return fold(outcome.error());
        fold(memory_.where(*outcome));
        handles.push_back(*outcome);
    }
    /// Returns a handle, which may be stale; one in sixteen stays in the list although the call ends it.
    template <class Handle>
    Handle any(std::vector<Handle>& handles, bool ends = false) {
        if (handles.empty()) return {};
        const std::uint64_t at = random_.below(handles.size());
        const Handle held = handles[at];
        if (ends && random_.below(16) != 0) {
            handles[at] = handles.back();
            handles.pop_back();
        }
        return held;
    }
    request any_request() {
        request wanted{.bytes = size_below(capacity / 4)};
        if (random_.below(3) == 0) wanted.alignment = std::uint64_t{1} << random_.below(14);
        if (random_.below(4) == 0) wanted.preferred = side::high;
        wanted.label = memory_.tag_of(names[random_.below(3)]);
        return wanted;
    }
    /// Returns a size below `most`: small sizes are as frequent as large ones.
    std::uint64_t size_below(std::uint64_t most) { return random_.below(most >> random_.below(8)); }
    fence any_fence() { return {memory_.reached().number + random_.below(4)}; }

    void call() {
        switch (random_.below(16)) {
        case 0:
        case 1:
        case 2: return keep(buffers_, memory_.allocate(any_request()));
        case 3:
        case 4: return fold(memory_.free(any(buffers_, true)));
        case 5: {
            const buffer freed = any(buffers_, true);
            return fold(memory_.free(freed, any_fence()));
        }
        case 6: return fold(random_.below(3) == 0 ? memory_.pin(any(buffers_)) : memory_.unpin(any(buffers_)));
        case 7: {
            program_spec spec{.name = names[random_.below(3)], .code = size_below(capacity / 8)};
            spec.scratch = random_.below(4) == 0 ? random_.below(capacity / 4) : size_below(capacity / 16);
            return keep(programs_, memory_.load(spec));
        }
        case 8:
            return fold(random_.below(2) == 0   ? memory_.load(any(programs_))
                        : random_.below(2) == 0 ? memory_.evict(any(programs_))
                                                : memory_.unload_for_now(any(programs_)));
        case 9:
            return fold(random_.below(3) == 0 ? memory_.unload(any(programs_, true)) : memory_.load(any(programs_)));
        case 10:
        case 11:
        case 12: return run();
        case 13: return fold(memory_.retire(any_fence()));
        case 14: {
            const compaction moved = memory_.compact(size_below(capacity / 4));
            return fold({moved.moved, moved.copies, moved.nanoseconds, moved.remaining, moved.needs});
        }
        default: return plan();
        }
    }
    void run() {
        std::vector<buffer> inputs;
        std::vector<buffer> donated;
        std::vector<output> outputs;
        for (std::uint64_t left = random_.below(4); left != 0; --left) inputs.push_back(any(buffers_));
        for (std::uint64_t left = random_.below(3); left != 0; --left) {
            donated.push_back(any(buffers_));
            if (random_.below(2) == 0) outputs.push_back(output(memory_.where(donated.back()).size));
        }
        for (std::uint64_t left = random_.below(3); left != 0; --left)
            outputs.push_back(output{size_below(capacity / 8), names[random_.below(3)]});
        const program subject = any(programs_);
        const auto ran = memory_.run(
            subject, {.inputs = inputs, .donated = donated, .outputs = outputs, .run_us = random_.below(1000)});
        if (!ran) return fold(ran.error());
        for (const buffer made : ran->outputs) keep(buffers_, result<buffer>(made));
        for (const std::uint32_t donor : ran->donors) fold({donor});
        fold({ran->over.number, ran->donated, std::uint64_t{ran->reloaded}});
    }
    /// Folds the plan for a request and what a fork returns for it. Carries the plan out half of the time.
    void plan() {
        const request wanted = any_request();
        const planning_result planned = memory_.plan_for(wanted);
        fold(
            {planned.lower_bound, static_cast<std::uint64_t>(planned.proof), std::uint64_t{planned.found.has_value()}});
        auto fork = memory_.fork();
        const auto trial = fork.allocate(wanted);
        trial ? fold(fork.where(*trial)) : fold(trial.error());
        if (planned.found && random_.below(2) == 0) fold(memory_.relieve(*planned.found));
    }

    static constexpr std::uint64_t capacity = 1 << 20;
    static constexpr const char* names[] = {"weights", "batch", "step"};

    Manager memory_{
        {.capacity = capacity, .top_reserved = 8192, .scratch_percent = 3, .runs_in_flight = 3, .bounce = 4096},
        {.salt = 1}};
    testing::random_numbers random_;
    std::vector<buffer> buffers_;
    std::vector<program> programs_;
    std::uint64_t digest_ = 0xcbf29ce484222325;
};

template <class Placement>
using readme_memory = manager<bottom_reserve<compacting<Placement>>, evict_cheapest_window, donate_same_size>;
template <class Placement>
using runtime_memory = manager<bottom_reserve<compacting<Placement>>, evict_lru, donate_same_size>;
static_assert(std::same_as<runtime_memory<best_fit>, tpu::runtime_memory>);

constexpr int steps = 8000;

/// Expects a digest, and that the run has met what makes results hard to keep equal.
template <class Manager>
void expect_digest(std::uint64_t expected) {
    mixed_run<Manager> story(20261124);
    CHECK(story.digest(steps) == expected);
    const totals& all = story.counts();
    for (const std::uint64_t count :
         {all.relieved, all.evictions, all.reloads, all.moves, all.waits, all.spilled_runs, all.donations_taken})
        CHECK(count > 4);
}

}  // namespace

TEST_CASE("the README's manager: one digest everywhere") {
    expect_digest<readme_memory<best_fit_lifo>>(0xdb3181dcbb7f009au);
    expect_digest<readme_memory<basic_best_fit_lifo<std::uint64_t>>>(0xdb3181dcbb7f009au);
}

TEST_CASE("the TPU runtime's manager: one digest everywhere") {
    expect_digest<runtime_memory<best_fit>>(0x8dd48c351b65125cu);
    expect_digest<runtime_memory<basic_best_fit<std::uint64_t>>>(0x8dd48c351b65125cu);
}

TEST_CASE("both with the other ties: one digest everywhere") {
    expect_digest<readme_memory<best_fit>>(0x84e60422ca704bceu);
    expect_digest<runtime_memory<basic_best_fit_lifo<std::uint64_t>>>(0x3043d63cec6c69b5u);
}

}  // namespace hbm::test::digest_tests
