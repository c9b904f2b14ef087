#include <hbm/donation/donation.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <support/managers.hpp>
#include <vector>

namespace hbm::test::lifetimes_tests {

namespace {

using apart = lifetimes_apart<best_fit>;

static_assert(placement<apart> && heeds_lifetimes<apart>);
static_assert(!heeds_lifetimes<best_fit> && !heeds_lifetimes<bottom_reserve<compacting<best_fit>>>);
static_assert(heeds_lifetimes<bottom_reserve<compacting<apart>>> && compacts<bottom_reserve<compacting<apart>>>);
static_assert(imports<apart> && relocates<apart> && stretches<apart> && shrinks<apart> && extends<apart>);

// Those that do not heed pay nothing: a need is no longer than it was, and a shell is no larger than what it wraps.
static_assert(sizeof(need<std::uint32_t>) == 20);
static_assert(sizeof(apart) == sizeof(best_fit));

template <placement P>
constexpr std::uint32_t offset_of(P& memory, std::uint32_t length, lifetime expected) {
    const block_index block = memory.place({.length = length, .expected = expected});
    return block == no_block ? no_index : memory.map().offset(block);
}

constexpr bool keeps_ends_apart() {
    apart memory(10);
    return offset_of(memory, 2, lifetime::brief) == 0 && offset_of(memory, 2, lifetime::lasting) == 8 &&
           offset_of(memory, 1, lifetime::unknown) == 7 && offset_of(memory, 1, lifetime::brief) == 2;
}
static_assert(keeps_ends_apart());

}  // namespace

TEST_CASE("the names are the types as a user would write them") {
    CHECK(std::string(bottom_reserve<compacting<apart>>::name.c_str()) ==
          "bottom_reserve<compacting<lifetimes_apart<best_fit>>>");
}

TEST_CASE("the hole is still the choice of the placement, its end that of the lifetime") {
    apart memory(30);
    const block_index low = memory.occupy({4, 2});
    const block_index high = memory.occupy({10, 2});
    CHECK(low != no_block);
    CHECK(high != no_block);  // the holes: 4 at 0, 4 at 6, 18 at 12
    CHECK(offset_of(memory, 3, lifetime::brief) == 0);
    CHECK(offset_of(memory, 3, lifetime::lasting) == 7);
    CHECK(offset_of(memory, 5, lifetime::lasting) == 25);
    CHECK(offset_of(memory, 5, lifetime::brief) == 12);
}

TEST_CASE("first fit begins at the end where the block belongs") {
    lifetimes_apart<first_fit> memory(30);
    CHECK(memory.occupy({10, 10}) != no_block);
    CHECK(offset_of(memory, 3, lifetime::lasting) == 27);
    CHECK(offset_of(memory, 3, lifetime::brief) == 0);
    CHECK(offset_of(memory, 8, lifetime::lasting) == no_index);
    CHECK(offset_of(memory, 7, lifetime::lasting) == 20);
    CHECK(offset_of(memory, 7, lifetime::lasting) == 3);
}

TEST_CASE("brief blocks keep out of the hole above the reservation while another fits") {
    lifetimes_apart<bottom_reserve<best_fit>> memory(40);
    REQUIRE(memory.reserve(4));
    CHECK(memory.occupy({10, 2}) != no_block);
    CHECK(offset_of(memory, 2, lifetime::brief) == 12);
    CHECK(offset_of(memory, 2, lifetime::lasting) == 38);
    CHECK(memory.reservable() == 6);
    CHECK(memory.occupy({14, 24}) != no_block);
    CHECK(offset_of(memory, 2, lifetime::lasting) == 8);
    CHECK(offset_of(memory, 2, lifetime::brief) == 4);  // the last resort
}

TEST_CASE("bottom_reserve over or under: one placement") {
    bottom_reserve<compacting<lifetimes_apart<best_fit>>> under(200);
    lifetimes_apart<compacting<bottom_reserve<best_fit>>> over(200);
    testing::random_numbers random(7);
    std::vector<block_index> live;
    std::uint32_t placed = 0;
    for (int step = 0; step < 3000; ++step) {
        if (random.once_in(20)) {
            const auto size = static_cast<std::uint32_t>(random.below(40));
            CHECK(under.reserve(size) == over.reserve(size));
        } else if (random.once_in(2) && !live.empty()) {
            const std::size_t at = random.below(live.size());
            under.release(live[at]);
            over.release(live[at]);
            live[at] = live.back();
            live.pop_back();
        } else {
            const need<std::uint32_t> asked{.length = static_cast<std::uint32_t>(1 + random.below(12)),
                                            .expected = static_cast<lifetime>(random.below(3))};
            const block_index block = under.place(asked);
            CHECK(block == over.place(asked));
            if (block != no_block) live.push_back(block);
            placed += block != no_block;
        }
        REQUIRE(under.map() == over.map());
    }
    CHECK(placed > 1000);
}

TEST_CASE("a manager passes hints on") {
    manager<compacting<apart>, evict_lru, donate_same_size> memory({.name = "small", .capacity = 100 * 512});
    const auto at = [&](const result<buffer>& made) { return memory.where(made.value_or({})).offset / 512; };
    CHECK(at(memory.allocate({.bytes = 512})) == 99);
    CHECK(at(memory.allocate({.bytes = 512, .expected = lifetime::lasting})) == 98);
    CHECK(at(memory.allocate({.bytes = 512, .expected = lifetime::brief})) == 0);

    const auto step = memory.load({.name = "step", .code = 512});
    REQUIRE(step);
    const std::vector<output> outputs{{512}, {512, tag::none, aliasing::any, no_index, lifetime::brief}};
    const auto ran = memory.run(*step, {.outputs = outputs});
    REQUIRE(ran);
    CHECK(memory.where(ran->outputs[0]).offset / 512 == 96);  // below the code
    CHECK(memory.where(ran->outputs[1]).offset / 512 == 1);
    CHECK(at(memory.allocate({.bytes = 512, .alignment = 2048, .expected = lifetime::brief})) == 4);
}

TEST_CASE("managers whose placement does not heed lifetimes place as if there were no hint") {
    manager<best_fit> plain({.name = "small", .capacity = 100 * 512});
    for (std::uint64_t i = 0; i < 3; ++i) {
        const auto made = plain.allocate({.bytes = 512, .expected = static_cast<lifetime>(i)});
        REQUIRE(made);
        CHECK(plain.where(*made).offset / 512 == i);
    }
}

}  // namespace hbm::test::lifetimes_tests
