// A device whose copies fail now and then: what has moved stays moved, nothing is lost.
#include <hbm/hbm.hpp>
#include <hbm/testing/checker.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace hbm::test {

constexpr std::uint64_t q = 512;

class failing_device : public host_device {
public:
    static constexpr fixed_string name{"failing_device"};
    std::uint64_t copies_until_failure = 0;

    failing_device() = default;
    explicit failing_device(std::uint64_t capacity) : host_device(capacity) {}
    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        if (copies_until_failure == 0) return false;
        --copies_until_failure;
        return host_device::copy(to, from, bytes);
    }
    friend bool operator==(const failing_device&, const failing_device&) = default;
};
static_assert(device<failing_device> && copies<failing_device>);

template <class Placement>
void expect_nothing_lost() {
    using memory_type = manager<Placement, evict_lru, donate_fitting, compact_first, failing_device>;
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        testing::random_numbers random(seed);
        const std::uint64_t capacity = 40 * q;
        memory_type memory{{.name = "small", .capacity = capacity}, 0, {}, {}, {}, failing_device(capacity)};
        struct kept {
            buffer handle;
            std::byte pattern;
        };
        std::vector<kept> held;
        std::vector<program> loaded;
        for (int step = 0; step < 60; ++step) {
            memory.device().copies_until_failure = random.below(4);
            const std::uint64_t size = (1 + random.below(10)) * q;
            if (!held.empty() && random.once_in(3)) {
                const std::size_t victim = random.below(held.size());
                REQUIRE(memory.free(held[victim].handle));
                held.erase(held.begin() + static_cast<std::ptrdiff_t>(victim));
            } else if (random.once_in(5)) {
                if (const auto made = memory.load({.name = "p", .code = size, .scratch = random.below(5) * q}))
                    loaded.push_back(*made);
                else
                    failures += made.error().reason == error::device_failed;
            } else if (!loaded.empty() && random.once_in(4)) {
                const std::vector<output> outputs{size, size};
                const auto ran = memory.run(loaded[random.below(loaded.size())], {.outputs = outputs});
                if (!ran)
                    failures += ran.error().reason == error::device_failed;
                else
                    for (const buffer made : ran->outputs) {
                        const auto pattern = static_cast<std::byte>(random.next() >> 56);
                        for (std::byte& one : memory.device().bytes(memory.where(made).offset, memory.granted(made)))
                            one = pattern;
                        held.push_back({made, pattern});
                    }
            } else if (const auto made = memory.allocate(size)) {
                const auto pattern = static_cast<std::byte>(random.next() >> 56);
                for (std::byte& one : memory.device().bytes(memory.where(*made).offset, size)) one = pattern;
                held.push_back({*made, pattern});
            } else {
                failures += made.error().reason == error::device_failed;
            }

            testing::checker checker(capacity, q);
            std::size_t buffers = 0;
            for (const block_view& block : memory.blocks()) {
                REQUIRE(checker.allocated(block.where.offset, block.where.size) == nullptr);
                buffers += block.kind == block_kind::data;
                REQUIRE(block.pins == 0);
            }
            REQUIRE(buffers == held.size());
            REQUIRE(checker.reported_free(memory.free_bytes()) == nullptr);
            REQUIRE(checker.reported_largest_free(memory.largest_free_bytes()) == nullptr);
            bool bytes_survived = true;
            for (const kept& one : held) {
                REQUIRE(memory.check(one.handle) == error::none);
                for (const std::byte byte :
                     memory.device().bytes(memory.where(one.handle).offset, memory.granted(one.handle)))
                    bytes_survived = bytes_survived && byte == one.pattern;
            }
            REQUIRE(bytes_survived);
            for (const program one : loaded) REQUIRE(memory.check(one) == error::none);
        }
    }
    CHECK(failures > 20);  // the story is about failures, after all
}

TEST_CASE("a copy that fails half-way leaves a consistent and lossless state") {
    expect_nothing_lost<compacting<best_fit>>();
    expect_nothing_lost<bottom_reserve<compacting<best_fit>>>();
    expect_nothing_lost<compacting<buddy>>();
}

}  // namespace hbm::test
