// Somebody else's program: one header, one manager, two buffers.
#include <hbm/hbm.hpp>

#include <cstdio>

int main() {
    using namespace hbm::literals;
    using memory = hbm::manager<hbm::best_fit, hbm::never_evict, hbm::never_donate>;

    memory device{hbm::tpu::v5e};
    const auto weights = device.allocate(6_GiB, "weights");
    const auto too_much = device.allocate(16_GiB, "too much");
    if (!weights || too_much) return 1;
    const auto gibibytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(1_GiB); };
    std::printf("hbm %s: %.2fG of %.2fG\n", PACKAGE_VERSION_EXPECTED, gibibytes(device.live_bytes()),
                gibibytes(device.capacity_bytes()));
}
