// A program on two replicas of two devices each: a call succeeds on all devices, or changes nothing on any.
#include <hbm/explain/message.hpp>
#include <hbm/hbm.hpp>
#include <hbm/mesh.hpp>

#include <cstdio>
#include <vector>

using namespace hbm::literals;

int main() {
    hbm::mesh<hbm::tpu::runtime_memory> devices{{.replicas = 2, .partitions = 2}, hbm::tpu::v5e};
    const auto weights = devices.allocate(4_GiB, "weights");  // 4 GiB on each device
    const auto step = devices.load({.name = "train_step", .code = 100_MiB, .scratch = 2_GiB});
    if (!weights || !step) return 1;

    // An uneven buffer: a size for each device. The last device does not have enough memory.
    const std::vector<std::uint64_t> sizes{3_GiB, 5_GiB, 3_GiB, 12_GiB};
    const auto before = devices;
    const auto cache = devices.allocate(sizes, "kv_cache");
    if (cache || !(devices == before)) return 1;
    const hbm::mesh_failure& why = cache.error();
    std::printf("replica %u, partition %u: %s\n", why.replica, why.partition,
                hbm::message(why.why, devices.name_of(why), {.at = {.x = why.replica, .y = why.partition}}).c_str());

    // Donation is decided device by device: the new weights are where the old weights were.
    const hbm::extent old = devices.memory(3).where(weights->parts[3]);
    const auto ran = devices.run(*step, {.donated = {*weights}, .outputs = {4_GiB}});
    if (!ran) return 1;
    std::uint64_t donations = 0;
    for (const hbm::run_result& on_device : ran->on_devices) donations += on_device.donated;
    std::printf("%u of %zu devices took the donated weights over\n", static_cast<unsigned>(donations),
                devices.devices());
    const bool as_expected = why.replica == 1 && why.partition == 1 && donations == 4 &&
                             devices.memory(3).where(ran->outputs[0].parts[3]) == old;
    return as_expected ? 0 : 1;
}
