// Buffers, programs and their scratch share a memory; outputs take over donated inputs.
#include <hbm/hbm.hpp>

#include <cstdio>

using namespace hbm::literals;

// Program scratch at the bottom, buffers best-fit from the top; when something does not fit, the cheaper of moving
// and evicting; an output takes over a donated input of the same size.
using tpu_memory = hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit_lifo>>, hbm::evict_cheapest_window,
                                hbm::donate_same_size>;

int main() {
    tpu_memory memory{hbm::tpu::v5e};  // 15.75 GiB usable, 512 B quantum, 819 GB/s
    const auto weights = memory.allocate(6_GiB, "weights");
    const auto step = memory.load({.name = "train_step", .code = 180_MiB, .scratch = 3_GiB});
    if (!weights || !step) return 1;
    const hbm::extent before = memory.where(*weights);

    const auto out = memory.run(*step, {.donated = {*weights}, .outputs = {6_GiB, 4_KiB}});
    if (!out) return 1;

    // The new weights are where the old weights were; the old handle is stale.
    const hbm::extent after = memory.where(out->outputs[0]);
    std::printf("%s\n", tpu_memory::name.c_str());
    std::printf("reserved %llu bytes; %u of %zu outputs took over an input\n",
                static_cast<unsigned long long>(memory.reserved_bytes()), out->donated, out->outputs.size());
    const bool as_expected = after == before && out->donated == 1 && memory.reserved_bytes() == 3_GiB &&
                             memory.check(*weights) == hbm::error::stale_handle;
    return as_expected ? 0 : 1;
}
