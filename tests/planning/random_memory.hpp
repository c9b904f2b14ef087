#pragma once

/// Tiny random memories for which brute force can tell what is best.

#include <hbm/manager.hpp>
#include <hbm/testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planning/priced.hpp"

namespace hbm::test {

/// Up to 12 quanta; prices differ, so that now moving is cheaper, now reloading.
inline memory_spec random_spec(testing::random_numbers& random) {
    const std::uint64_t top = random.once_in(5) ? (1 + random.below(2)) * q : 0;
    return {.name = "tiny",
            .capacity = (4 + random.below(9)) * q + top,
            .bandwidth = 1'000'000'000,
            .copy_nanoseconds = random.below(3) * 700,
            .top_reserved = top,
            .runs_in_flight = random.once_in(3) ? 3u : 0u,
            .bounce = top};
}

/// Buffers, some of them pinned, freed while they are pinned or until a fence is reached, in use by runs in flight, or
/// longer than the output that took them over, and programs, some of them evicted or unloaded for now.
template <class Manager>
void fill_at_random(Manager& memory, testing::random_numbers& random, std::vector<buffer>& held,
                    std::vector<program>& loaded) {
    const auto forget = [&](std::size_t at) { held.erase(held.begin() + static_cast<std::ptrdiff_t>(at)); };
    const std::uint64_t steps = 3 + random.below(12);
    for (std::uint64_t step = 0; step < steps; ++step) {
        const std::uint64_t kind = random.below(12);
        const std::uint64_t size = (1 + random.below(random.once_in(3) ? 5 : 2)) * q;
        if (kind < 3) {
            if (memory.free_bytes() < size) continue;
            const auto made = memory.allocate(request{.bytes = size, .alignment = random.once_in(10) ? 2 * q : 0});
            if (made) held.push_back(*made);
        } else if (kind < 6) {
            const std::uint64_t scratch = random.below(4) * q;
            if (memory.free_bytes() < size + scratch) continue;
            const auto made = memory.load(
                {.name = "p", .code = size, .scratch = scratch, .reload_us = random.below(random.once_in(2) ? 4 : 12)});
            if (made) loaded.push_back(*made);
        } else if (kind < 8 && !held.empty()) {
            const std::size_t at = random.below(held.size());
            if (random.once_in(4)) (void)memory.pin(held[at]);
            (void)(random.once_in(4) ? memory.free(held[at], memory.issued()) : memory.free(held[at]));
            forget(at);
        } else if (kind == 8 && !loaded.empty()) {
            const program subject = loaded[random.below(loaded.size())];
            (void)(random.once_in(2) ? memory.evict(subject) : memory.unload_for_now(subject));
        } else if (memory.spec().runs_in_flight != 0 && !loaded.empty()) {
            const program subject = loaded[random.below(loaded.size())];
            if (!memory.about(subject).resident) continue;
            std::vector<buffer> inputs;
            std::vector<buffer> donated;
            std::vector<output> outputs;
            const std::size_t at = held.empty() ? 0 : random.below(held.size());
            if (!held.empty() && memory.pins(held[at]) == 0 && random.once_in(2)) {
                donated.push_back(held[at]);
                outputs.push_back(random.once_in(2) ? q : memory.granted(held[at]));
            } else if (!held.empty()) {
                inputs.push_back(held[at]);
            }
            const auto ran = memory.run(
                subject, {.inputs = inputs, .donated = donated, .outputs = outputs, .run_us = random.below(6)});
            if (!ran || donated.empty()) continue;
            forget(at);
            held.push_back(ran->outputs[0]);
        }
    }
    for (const buffer each : held)
        if (random.once_in(6)) (void)memory.pin(each);
}

}  // namespace hbm::test
