#pragma once

/// Random memories and random attempts, for the tests of explain().

#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>
#include <hbm/testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::test {

inline constexpr std::uint64_t q = 512;

/// A memory with a random past: buffers, some of them pinned or freed while they were; programs, some of them evicted;
/// runs in flight.
template <class Manager>
class random_memory {
public:
    random_memory(testing::random_numbers& random, std::uint64_t capacity, std::uint32_t steps,
                  std::uint32_t scratch_percent)
        : random_(random), memory_({.capacity = capacity * q,
                                    .scratch_percent = scratch_percent,
                                    .runs_in_flight = static_cast<std::uint32_t>(random.below(3))}) {
        for (std::uint32_t step = 0; step < steps; ++step) take_step();
    }

    [[nodiscard]] const Manager& memory() const { return memory_; }

    /// Calls `visit` with a random attempt, about as large as the free memory.
    template <class Visit>
    void attempt_something(Visit visit) {
        const std::uint64_t free = memory_.free_bytes() / q;
        const std::uint64_t size = (1 + random_.up_to(free + 2)) * q;
        switch (random_.below(programs_.empty() ? 4 : 6)) {
        default: return visit(attempt{request{.bytes = size, .alignment = random_.once_in(5) ? 4 * q : 0}});
        case 2: return visit(attempt{program_spec{.name = "new", .code = size}});
        case 3: return visit(attempt{program_spec{.name = "new", .code = small(), .scratch = size}});
        case 4: return visit(attempt{any_of(programs_)});
        case 5: with_run([&](const run_spec& spec) { visit(attempt{any_of(programs_), spec}); });
        }
    }

private:
    [[nodiscard]] std::uint64_t small() { return (1 + random_.below(6)) * q; }
    template <class T>
    [[nodiscard]] const T& any_of(const std::vector<T>& some) {
        return some[random_.below(some.size())];
    }

    void take_step() {
        switch (random_.below(13)) {
        default:
            if (const auto made =
                    memory_.allocate(request{.bytes = small(), .alignment = random_.once_in(8) ? 2 * q : 0}))
                buffers_.push_back(*made);
            break;
        case 5:
        case 6:
            if (buffers_.empty()) break;
            (void)memory_.free(any_of(buffers_));
            forget_the_dead();
            break;
        case 7:
        case 12:
            if (!buffers_.empty()) (void)memory_.pin(any_of(buffers_));
            break;
        case 8:
        case 9:
            if (const auto made = memory_.load({.name = "loaded", .code = small(), .scratch = (random_.below(4)) * q}))
                programs_.push_back(*made);
            break;
        case 10:
            if (!programs_.empty()) (void)memory_.evict(any_of(programs_));
            break;
        case 11:
            if (programs_.empty()) break;
            with_run([&](const run_spec& spec) {
                const auto out = memory_.run(any_of(programs_), spec);
                if (out)
                    for (const buffer made : out->outputs) buffers_.push_back(made);
            });
            forget_the_dead();
        }
    }

    template <class Visit>
    void with_run(Visit visit) {
        std::vector<buffer> inputs;
        std::vector<buffer> donated;
        for (const buffer held : buffers_) {
            if (random_.once_in(4))
                inputs.push_back(held);
            else if (random_.once_in(6) && memory_.pins(held) == 0)
                donated.push_back(held);
        }
        std::vector<output> outputs;
        for (std::uint64_t count = 1 + random_.below(2); count != 0; --count) outputs.push_back(output{small()});
        if (!inputs.empty() && random_.once_in(2)) outputs[0] = output{memory_.granted(inputs[0])};
        std::vector<std::uint32_t> kept;
        if (!donated.empty() && random_.once_in(4)) kept.push_back(0);
        visit(run_spec{
            .inputs = inputs, .donated = donated, .outputs = outputs, .kept = kept, .run_us = random_.below(20)});
    }

    void forget_the_dead() {
        std::vector<buffer> alive;
        for (const buffer held : buffers_)
            if (memory_.check(held) == error::none) alive.push_back(held);
        buffers_ = alive;
    }

    testing::random_numbers& random_;
    Manager memory_;
    std::vector<buffer> buffers_;
    std::vector<program> programs_;
};

}  // namespace hbm::test
