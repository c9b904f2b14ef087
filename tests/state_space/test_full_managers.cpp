// Every state of small memories with programs, scratch, runs in flight and donation, on a device with bytes.
#include "state_space/calls.hpp"
#include "state_space/explorer.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::full_managers_tests {
namespace {

template <class Donation>
void explore(std::uint32_t capacity, std::uint32_t buffers) {
    using memory = manager<bottom_reserve<compacting<best_fit>>, evict_lru, Donation, relieve_cheapest, host_device>;
    const auto scope = static_cast<std::uint32_t>(number_from_environment("HBM_SCOPE", 0));
    const bounds limits{
        .capacity = capacity + scope,
        .buffers = buffers + scope,
        .longest = 3,
        .most_alignment = scope != 0 ? 2u : 1u,
        .pins = true,
        .programs = {{.name = "one", .code = 1, .scratch = 1}, {.name = "two", .code = 2, .scratch = 2}}};
    explorer<small_memory<memory>> all{small_memory<memory>(limits)};
    CHECK(all.run(memory::full_name.c_str()) > 100);
}

TEST_CASE("state space: a full manager keeps its promises in every small state") {
    explore<donate_same_size>(5, 1);
    explore<donate_fitting>(5, 1);
}

}  // namespace
}  // namespace hbm::test::full_managers_tests
