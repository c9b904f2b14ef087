// The host runs ahead of the device: what a run uses cannot be moved until its fence is reached, and waiting has a
// price.
#include <hbm/hbm.hpp>

#include <cstdio>

using namespace hbm::literals;

int main() {
    hbm::memory_spec device = hbm::tpu::v5e;
    device.runs_in_flight = 2;  // how many runs the host may be ahead
    hbm::tpu::runtime_memory memory{device};
    const auto step = memory.load({.name = "step", .code = 64_MiB, .scratch = 1_GiB});
    const auto batch = memory.allocate(6_GiB, "batch");
    if (!step || !batch) return 1;

    const auto out = memory.run(*step, {.inputs = {*batch}, .outputs = {1_GiB}, .run_us = 900});
    if (!out) return 1;
    memory.free(*batch);  // takes effect when the run is over
    const bool is_held = memory.free_bytes() < 8_GiB;

    // The next batch needs that memory: the manager waits for the fence. The price is all of `run_us`: a manager has no
    // clock and does not know how much of the run has passed.
    const auto next = memory.allocate(8_GiB, "next batch");
    if (!next) return 1;
    const hbm::totals& done = memory.done_so_far();
    std::printf("waited %llu times, %llu us in all\n", static_cast<unsigned long long>(done.waits),
                static_cast<unsigned long long>(done.wait_nanoseconds / 1000));
    const bool as_expected =
        is_held && done.waits == 1 && done.wait_nanoseconds == 900'000 && memory.reached() == out->over;
    return as_expected ? 0 : 1;
}
