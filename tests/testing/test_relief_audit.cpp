// Needless evictions and moves are counted. That relief makes none is checked in planning/ (planner, several_needs).
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "support/relief_audit.hpp"

namespace hbm::test::relief_audit_tests {
namespace {

constexpr std::uint64_t q = 512;

/// Evicts everybody who may go, and moves nothing.
struct evict_everybody {
    static constexpr fixed_string name{"evict_everybody"};

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        std::optional<plan> found = ways.by_evicting();
        if (!found) return found;
        std::vector<std::uint32_t> gone;
        for (const step& next : found->steps) gone.push_back(next.subject);
        for (std::uint32_t slot = 0; slot < 2; ++slot)
            if (gone.size() == 1 && gone[0] != slot)
                found->add({.what = step_kind::evict, .subject = slot, .from = 1, .bytes = 4 * q});
        return found;
    }
    bool operator==(const evict_everybody&) const = default;
};
static_assert(relief<evict_everybody>);

TEST_CASE("relief audit: a needless eviction is counted") {
    manager<best_fit, evict_lru, never_donate, evict_everybody, no_device, relief_audit> memory{{.capacity = 16 * q}};
    const auto first = memory.load({.name = "one", .code = 4 * q});
    const auto wall = memory.allocate(4 * q);
    const auto two = memory.load({.name = "two", .code = 4 * q});
    REQUIRE((first && wall && two));
    REQUIRE(memory.allocate(8 * q));
    CHECK(memory.done_so_far().evictions == 2);
    CHECK(memory.events().evictions() == 2);
    CHECK(memory.events().evictions_in_vain() == 1);
    CHECK(memory.events().moves_in_vain() == 0);
}

TEST_CASE("relief audit: a needless move by hand is counted") {
    manager<compacting<best_fit>, never_evict, never_donate, relieve_cheapest, no_device, relief_audit> memory{
        {.capacity = 16 * q}};
    const auto low = memory.allocate(2 * q);
    const auto block = memory.allocate(2 * q);
    REQUIRE(memory.free(*low));
    plan steps;
    steps.add(memory.state().move_of(block->index, 0));
    REQUIRE(memory.relieve(steps));
    REQUIRE(memory.allocate({.bytes = 10 * q, .preferred = side::high}));
    CHECK(memory.events().moves() == 1);
    CHECK(memory.events().moves_in_vain() == 1);
}

}  // namespace
}  // namespace hbm::test::relief_audit_tests
