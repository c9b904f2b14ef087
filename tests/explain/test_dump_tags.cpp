// What the dump says by tag, in a manager that watches growth and in one that does not.
#include <hbm/explain/dump.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <string>

namespace hbm::test::dump_tags_tests {

TEST_CASE("tags that grow come first, with what they grow by; without the observer that is unknown") {
    constexpr std::uint64_t q = 512;
    const auto dumped = [](auto memory, auto step) {
        REQUIRE(memory.allocate(500 * q, "weights"));
        REQUIRE(memory.allocate(20 * q));
        for (int at = 0; at < 50; ++at) {
            REQUIRE(memory.allocate(q, "log"));
            step(memory);
        }
        const auto failed = memory.allocate(1000 * q);
        REQUIRE(!failed);
        return dump(memory, failed.error());
    };
    using watching = manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, growth_by_tag>;
    const memory_spec small{.name = "small", .capacity = 1000 * q};
    const allocation_dump seen =
        dumped(watching{small, {.events = growth_by_tag{growth_steps::by_hand, {.window = 1}}}},
               [](watching& memory) { memory.events().step(); });
    REQUIRE(seen.tags.items.size() == 3);
    CHECK(seen.tags.bytes == 570 * q);
    CHECK(seen.tags.items[0] == dumped_tag{.name = "log",
                                           .bytes = 50 * q,
                                           .blocks = 50,
                                           .oldest_steps = 50,
                                           .micro_bytes_a_step = 512'000'000,
                                           .since_step = seen.tags.items[0].since_step});
    CHECK(seen.tags.items[1].name == "weights");
    CHECK(seen.tags.items[1].micro_bytes_a_step == 0);
    CHECK(to_text(seen).find("tag 'log', the oldest 50 steps old, grows by 512B a step since ") != std::string::npos);
    CHECK(to_text(seen).find("buffers without a tag, the oldest 50 steps old\n") != std::string::npos);

    using deaf = manager<best_fit>;
    const allocation_dump unseen = dumped(deaf{small}, [](deaf&) {});
    CHECK(unseen.tags.items[0].name == "weights");
    CHECK(!unseen.tags.items[0].micro_bytes_a_step);
}

}  // namespace hbm::test::dump_tags_tests
