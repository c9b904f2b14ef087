// A leak is found while the program runs: the observer growth_by_tag distinguishes steady growth from everything else.
#include <hbm/explain/words.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/hbm.hpp>

#include <cstdio>

using namespace hbm::literals;

// 1. The observer is the last policy. It is not in hbm.hpp.
using watched = hbm::manager<hbm::best_fit, hbm::never_evict, hbm::donate_same_size, hbm::relieve_cheapest,
                             hbm::no_device, hbm::growth_by_tag>;

int main() {
    watched memory{hbm::tpu::v5e};
    const auto step = memory.load({.name = "train_step", .code = 180_MiB, .scratch = 3_GiB});
    const auto weights = memory.allocate(6_GiB, "weights");
    if (!step || !weights) return 1;

    for (unsigned batch = 0; batch < 60'000; ++batch) {
        const auto images = memory.allocate(512_MiB + batch % 5 * 64_MiB, "batch");
        if (!images || !memory.run(*step, {.inputs = {*weights, *images}})) return 1;
        if (!memory.free(*images)) return 1;
        if (batch % 3 == 0 && !memory.allocate(1_MiB, "metrics")) return 1;  // 2. Somebody keeps these.

        // 3. Each run is a step. What grows along a line is noticed after 512 steps, or later if noise hides it.
        const auto& growth = memory.events().total().series.growing();
        if (!growth) continue;
        std::printf("noticed at step %llu, %llu steps before memory ends:\n",
                    static_cast<unsigned long long>(growth->noticed),
                    static_cast<unsigned long long>(growth->steps_left(memory.events().room_in(memory))));
        // 4. The tag that grows most: to print it, or to act on it.
        const auto tag = memory.events().fastest();
        if (tag)
            std::printf("tag '%s' grows by %s a step since step %llu\n", memory.name_of(*tag),
                        hbm::rate_in_words(memory.events()[*tag].series.growing()->micro_bytes_a_step()).c_str(),
                        static_cast<unsigned long long>(growth->since));
        return tag && *tag == memory.tag_of("metrics") ? 0 : 1;
    }
    return 1;
}
