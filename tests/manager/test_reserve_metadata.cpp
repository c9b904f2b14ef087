#include <hbm/donation/donate_fitting.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <manager/host_allocations.hpp>
#include <string>
#include <support/managers.hpp>
#include <utility>
#include <vector>

namespace hbm::test::reserve_metadata_tests {

namespace {

/// Half of the blocks are of one size, so that very many holes are alike; the rest is of all sizes.
std::uint64_t some_bytes(std::uint64_t random) {
    return random % 2 == 0 ? 64 * 512 : (std::uint64_t{1} << random % 16) * 512 + random % 5000;
}

/// Allocates and frees at random with at most 2,000 buffers and counts how often the host was asked.
template <class Manager>
std::size_t asked_during_churn() {
    Manager memory{{.name = "large", .capacity = std::uint64_t{1} << 36}};
    static buffer held[2000];
    memory.reserve_metadata(2000);
    const std::size_t before = host_allocations();
    std::size_t live = 0;
    std::uint64_t state = 1;
    for (int step = 0; step < 60'000; ++step) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const std::uint64_t random = state >> 33;
        const bool filling = step / 6000 % 2 == 0;
        if (live < 2000 && (live == 0 || random % 8 < (filling ? 6 : 2))) {
            const auto made = memory.allocate(some_bytes(random >> 3));
            REQUIRE(made);
            held[live++] = *made;
        } else {
            std::swap(held[random / 8 % live], held[live - 1]);
            REQUIRE(memory.free(held[--live]));
        }
    }
    return host_allocations() - before;
}

}  // namespace

TEST_CASE("a fork takes host memory for blocks and programs, not for names") {
    const auto bytes_of = [](int names, const auto& act) {
        manager<best_fit> memory({.name = "small", .capacity = 1u << 20});
        const auto step = memory.load({.name = "step", .code = 512});
        REQUIRE(step);
        for (int name = 0; name < names; ++name) {
            const auto held = memory.allocate(512, ("activation_" + std::to_string(name)).c_str());
            REQUIRE(held);
            REQUIRE(memory.free(*held));
        }
        REQUIRE(memory.run(*step, {.outputs = {{512, "output"}}}));
        const std::size_t before = host_bytes();
        act(memory, *step);
        return host_bytes() - before;
    };
    const auto fork = [](auto& memory, program) { static_cast<void>(memory.fork()); };
    const auto run = [](auto& memory, program step) {
        auto trial = memory.fork();
        REQUIRE(trial.run(step, {.outputs = {{512, "output"}}}));
    };
    CHECK(bytes_of(10, fork) == bytes_of(1000, fork));
    CHECK(bytes_of(10, run) == bytes_of(1000, run));
}

TEST_CASE("after reserve_metadata no placement asks the host again") {
    CHECK(asked_during_churn<manager<best_fit>>() == 0);
    CHECK(asked_during_churn<manager<best_fit_lifo>>() == 0);
    CHECK(asked_during_churn<manager<first_fit>>() == 0);
    CHECK(asked_during_churn<manager<good_fit>>() == 0);
    CHECK(asked_during_churn<manager<bfc>>() == 0);
    CHECK(asked_during_churn<manager<buddy>>() == 0);
    CHECK(asked_during_churn<manager<lifetimes_apart<best_fit>>>() == 0);
    CHECK(asked_during_churn<manager<lifetimes_apart<buddy>>>() == 0);
    CHECK(asked_during_churn<manager<basic_best_fit<std::uint64_t>>>() == 0);
    CHECK(asked_during_churn<manager<bottom_reserve<compacting<best_fit>>, evict_lru>>() == 0);
}

TEST_CASE("after reserve_metadata no run asks the host either, in flight or not") {
    for (const std::uint32_t in_flight : {0u, 3u}) {
        manager<best_fit, never_evict, donate_fitting> memory{
            {.name = "large", .capacity = std::uint64_t{1} << 36, .runs_in_flight = in_flight}};
        memory.reserve_metadata(2000);
        const auto step = memory.load({.name = "step", .code = 512});
        REQUIRE(step);
        std::vector<buffer> held;
        for (int i = 0; i < 40; ++i) held.push_back(*memory.allocate(static_cast<std::uint64_t>(i) * 1000));
        run_result ran;
        ran.reserve(20);
        const std::size_t before = host_allocations();
        for (int run = 0; run < 100; ++run) {
            const list<buffer> inputs{held.data(), 20};
            const list<buffer> donated{held.data() + 20, 20};
            output outputs[20];
            for (std::uint64_t i = 0; i < 20; ++i) outputs[i] = {(i + 15) * 1000};
            REQUIRE(memory.run(*step, {.inputs = inputs, .donated = donated, .outputs = {outputs, 20}}, ran));
            for (std::size_t i = 0; i < 20; ++i) held[i + 20] = ran.outputs[i];
        }
        CHECK(host_allocations() == before);
    }
}

/// Reserves while the memory is small, extends it, and counts how often the host is asked when that is over.
template <class Placement>
std::size_t asked_after_extension() {
    Placement memory(16);
    memory.reserve_metadata(2000);
    REQUIRE(memory.extend(1u << 24));
    std::vector<block_index> held(2000);
    const std::size_t before = host_allocations();
    for (std::uint32_t i = 0; i < 2000; ++i) held[i] = memory.place({.length = i % 2 == 0 ? 3 : 1 + i % 50});
    for (std::size_t i = 0; i < held.size(); i += 2) memory.release(held[i]);
    for (std::size_t i = 0; i < held.size(); i += 2) held[i] = memory.place({.length = 2});
    for (const block_index block : held) memory.release(block);
    return host_allocations() - before;
}

TEST_CASE("room that was reserved stays reserved when the memory is extended") {
    CHECK(asked_after_extension<best_fit>() == 0);
    CHECK(asked_after_extension<best_fit_lifo>() == 0);
    CHECK(asked_after_extension<first_fit>() == 0);
    CHECK(asked_after_extension<good_fit>() == 0);
    CHECK(asked_after_extension<bfc>() == 0);
    CHECK(asked_after_extension<buddy>() == 0);
}

TEST_CASE("buddy has room for more holes than blocks, and its index as well") {
    for (const std::uint32_t blocks : {300u, 1000u, 4700u}) {
        CAPTURE(blocks);
        buddy memory(1 << 24);
        memory.reserve_metadata(blocks);
        const std::size_t before = host_allocations();
        for (std::uint32_t i = 0; i < blocks; ++i)
            REQUIRE(memory.occupy({i * 4, i % 5 == 0 ? 1u : 2u}) != no_block);  // six holes for five blocks
        CHECK(host_allocations() == before);
    }
}

TEST_CASE("room reserved for too few holds nobody back") {
    best_fit memory(1 << 24);
    memory.reserve_metadata(4000);
    memory.reserve_metadata(0);  // takes nothing back
    std::vector<block_index> placed;
    for (int i = 0; i < 20'000; ++i) placed.push_back(memory.place({.length = 3}));
    const std::size_t before = host_allocations();
    for (std::size_t i = 0; i < placed.size(); i += 2) memory.release(placed[i]);
    CHECK(host_allocations() > before);  // ten thousand holes of one size: more pages than were reserved
    CHECK(memory.map().offset(memory.place({.length = 3})) == 0);
}

TEST_CASE("what many holes of one size needed serves those of the next, also where nothing was reserved") {
    constexpr std::uint32_t count = 3000;
    best_fit memory(count * 16384);
    std::vector<block_index> blocks;
    for (std::uint32_t i = 0; i < 2 * count; ++i) blocks.push_back(memory.place({.length = 8192}));
    for (std::uint32_t i = 0; i < count; ++i) memory.release(blocks[i * 7 % count * 2]);
    std::size_t before = 0;
    blocks.resize(count);
    for (std::uint32_t phase = 0; phase < 500; ++phase) {
        if (phase == 200) before = host_allocations();
        for (block_index& block : blocks) block = memory.place({.length = 4097 + phase * 97 % 4000});
        for (const block_index block : blocks) memory.release(block);
    }
    CHECK(host_allocations() == before);
}

}  // namespace hbm::test::reserve_metadata_tests
