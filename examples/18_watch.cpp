// Memory while it is used: what tpu-info shows, and the peak, the largest free block, fragmentation, each program, the
// trend and when memory ends.
#include <hbm/explain/words.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/hbm.hpp>

#include <cstdio>
#include <string>

using namespace hbm::literals;

// 1. `growth_by_tag` finds the trend. All other figures are those of any manager.
using watched = hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit_lifo>>, hbm::evict_lru,
                             hbm::donate_same_size, hbm::relieve_cheapest, hbm::no_device, hbm::growth_by_tag>;

namespace {

unsigned long long percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : part * 100 / whole;
}

// 2. All figures are read from the manager on demand; nothing else has to be counted.
void show(const watched& memory, std::uint64_t microseconds_a_step) {
    const auto size = [](std::uint64_t bytes) { return hbm::size_in_words(bytes); };
    const std::uint64_t free = memory.free_bytes(), largest = memory.largest_free_bytes();
    std::printf("device  HBM usage        peak    largest free  fragmentation\n");
    std::printf("TPU_0   %s / %s  %s  %-12s  %llu %%\n", size(memory.live_bytes()).c_str(),
                size(memory.capacity_bytes()).c_str(), size(memory.peak_live_bytes()).c_str(), size(largest).c_str(),
                percent(free - largest, free));
    for (const hbm::program_record& program : memory.programs())
        if (program.generation % 2 == 1)
            std::printf("  %-12s %s of code, %s of scratch%s\n", memory.name_of(program.label),
                        size(program.code).c_str(), size(program.scratch).c_str(), program.resident ? "" : ", evicted");
    const auto& growth = memory.events().total().series.growing();
    if (!growth)
        return void(
            std::printf("  steady after %llu steps\n\n", static_cast<unsigned long long>(memory.events().steps())));
    // Scratch does not grow, and is in the way of what does.
    const std::uint64_t left = growth->steps_left(memory.events().room_in(memory));
    const auto tag = memory.events().fastest();
    std::printf("  grows by %s a step, mostly '%s': memory ends in %llu steps, %llu minutes\n\n",
                size(growth->micro_bytes_a_step() / 1'000'000).c_str(), tag ? memory.name_of(*tag) : "",
                static_cast<unsigned long long>(left),
                static_cast<unsigned long long>(left * microseconds_a_step / 60'000'000));
}

}  // namespace

int main() {
    watched memory{hbm::tpu::v5e};
    const auto step = memory.load({.name = "train_step", .code = 180_MiB, .scratch = 3_GiB});
    const auto eval = memory.load({.name = "eval_step", .code = 64_MiB, .scratch = 1_GiB});
    const auto weights = memory.allocate(6_GiB, "weights");
    if (!step || !eval || !weights) return 1;

    for (unsigned batch = 1; batch <= 1'200; ++batch) {
        const auto images = memory.allocate(512_MiB + batch % 5 * 64_MiB, "batch");
        if (!images || !memory.run(batch % 50 == 0 ? *eval : *step, {.inputs = {*weights, *images}})) return 1;
        if (!memory.free(*images)) return 1;
        if (batch % 3 == 0 && !memory.allocate(1_MiB, "metrics")) return 1;  // Somebody keeps these.
        if (batch % 400 == 0) show(memory, 250'000);
    }
    const auto& growth = memory.events().total().series.growing();
    return growth && growth->steps_left(memory.events().room_in(memory)) != 0 ? 0 : 1;
}
