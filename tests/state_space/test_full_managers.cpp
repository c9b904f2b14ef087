// Every state of small memories with programs, scratch, runs in flight, donation and moves, on a device with bytes.
// HBM_SCOPE=1 and more: larger memories, more buffers, and alignment.
#include "state_space/calls.hpp"
#include "state_space/explorer.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::full_managers_tests {
namespace {

template <class Donation>
void explore(std::uint32_t buffers, std::uint32_t longest) {
    using memory = manager<bottom_reserve<compacting<best_fit>>, evict_lru, Donation, relieve_cheapest, host_device>;
    const auto scope = static_cast<std::uint32_t>(number_from_environment("HBM_SCOPE", 0));
    const bounds limits{.capacity = 5 + scope,
                        .buffers = scope == 0 ? buffers : 2,
                        .longest = longest + scope,
                        .most_alignment = scope == 0 ? 1u : 2u,
                        .pins = true,
                        .programs = {{.code = 1, .scratch = 1}, {.code = 2, .scratch = 2}}};
    explore_all(small_memory<memory>(limits), memory::full_name.c_str());
}

TEST_CASE("state space: a full manager keeps its promises in every small state") {
    explore<donate_same_size>(1, 2);
    explore<donate_fitting>(2, 2);
}

}  // namespace
}  // namespace hbm::test::full_managers_tests
