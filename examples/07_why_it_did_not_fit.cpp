// A program loads, is evicted for a buffer, and then cannot load again: why, and what would help.
#include <hbm/explain/dump.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>

#include <cstdio>
#include <string>

using namespace hbm::literals;

int main() {
    hbm::tpu::runtime_memory memory{hbm::tpu::v5e};
    const auto weights = memory.allocate(6_GiB, "weights");
    const auto train = memory.load({.name = "train_step", .code = 256_MiB, .scratch = 3_GiB});
    const auto evaluate = memory.load({.name = "evaluate", .code = 64_MiB, .scratch = 6_GiB});
    if (!weights || !train || !evaluate) return 1;

    // The cache fits: programs are evicted for buffers, here the program with much scratch.
    const auto cache = memory.allocate(6_GiB, "kv_cache");
    if (!cache || memory.about(*evaluate).resident) return 1;

    // The program that was loaded before does not fit any more.
    const auto again = memory.load(*evaluate);
    if (again) return 1;
    const std::string why = hbm::explain(memory, again.error());
    std::printf("%s\n", why.c_str());

    // The explanation as a value: every remedy can be applied to a fork.
    const hbm::explanation what = hbm::explanation_of(memory, again.error());
    const bool named = !what.culprits.empty() && what.culprits[0].name == "kv_cache";

    // A dump of the memory for the log.
    std::printf("%s", hbm::to_text(hbm::dump(memory, again.error(), {.most = 3})).c_str());
    return named ? 0 : 1;
}
