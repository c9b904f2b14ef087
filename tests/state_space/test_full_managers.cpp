// Every state of small memories with programs, scratch, runs in flight, donation and moves, on a device with bytes that
// never fails, and on one of which each copy of each call may. HBM_SCOPE=1 and more: larger memories, more buffers, and
// alignment.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/planning/relief_policies.hpp>

#include "planning/failing_device.hpp"
#include "state_space/calls.hpp"
#include "state_space/explorer.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::full_managers_tests {
namespace {

/// Explores at least this many transitions, and at least this many in which the device fails.
template <class Memory>
void explore(bounds limits, std::size_t least, std::size_t least_failures = 0) {
    const auto scope = static_cast<std::uint32_t>(number_from_environment("HBM_SCOPE", 0));
    limits.capacity += scope;
    limits.longest += scope;
    if (scope != 0) limits.buffers = limits.most_alignment = 2;
    limits.pins = true;
    limits.programs = {{.code = 1, .scratch = 1}, {.code = 2, .scratch = 2}};
    const small_memory<Memory> space(limits);
    explore_all(space, Memory::full_name.c_str(), least);
    if (limits.failing_copies == 0) return;
    MESSAGE(space.failures() << " calls failed with the device, " << space.bounced()
                             << " of them with bytes in the bounce region");
    CHECK(space.failures() >= least_failures);
    CHECK((space.bounced() != 0) == (limits.bounce != 0));
}

template <class Donation, class Device = host_device>
using usual = manager<bottom_reserve<compacting<best_fit>>, evict_lru, Donation, relieve_cheapest, Device>;
/// Other policies on each axis.
template <class Device>
using other =
    manager<bottom_reserve<compacting<first_fit>>, evict_window<reload_cost>, donate_same_size, evict_first, Device>;

TEST_CASE("state space: a full manager keeps its promises in every small state") {
    explore<usual<donate_same_size>>({.capacity = 5, .buffers = 1, .longest = 2, .most_alignment = 1}, 60000);
    explore<usual<donate_fitting>>({.capacity = 5, .buffers = 2, .longest = 2, .most_alignment = 1}, 980000);
    explore<other<host_device>>({.capacity = 5, .buffers = 1, .longest = 3, .most_alignment = 2}, 105000);
}

TEST_CASE("state space: a full manager loses nothing in any small state whichever copy fails") {
    explore<usual<donate_fitting, failing_device>>(
        {.capacity = 5, .buffers = 2, .longest = 3, .most_alignment = 1, .failing_copies = 4}, 1200000, 38000);
    explore<usual<donate_fitting, failing_device>>(
        {.capacity = 6, .buffers = 1, .longest = 3, .most_alignment = 1, .failing_copies = 4, .bounce = 3}, 230000,
        14000);
    explore<other<failing_device>>(
        {.capacity = 5, .buffers = 1, .longest = 3, .most_alignment = 2, .failing_copies = 4}, 110000, 3200);
}

}  // namespace
}  // namespace hbm::test::full_managers_tests
