// Somebody else's program: one header, one manager, two buffers.
#include <hbm/hbm.hpp>

int main() {
    using namespace hbm::literals;
    using memory = hbm::manager<hbm::best_fit, hbm::never_evict, hbm::never_donate>;

    memory device{hbm::tpu::v5e};
    const auto weights = device.allocate(6_GiB, "weights");
    const auto too_much = device.allocate(16_GiB, "too much");
    return weights && !too_much ? 0 : 1;
}
