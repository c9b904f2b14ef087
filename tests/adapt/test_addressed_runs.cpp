#include <hbm/adapt/addressed.hpp>
#include <hbm/adapt/arena.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <adapt/memory_on_host.hpp>
#include <cstddef>
#include <cstring>

namespace hbm::test::addressed_runs_tests {

namespace {

using donating = addressed<manager<best_fit, never_evict, donate_same_size>>;
using moving = addressed<manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>>;

/// Checks donation by address: an output begins where its donor began, and other donors end.
template <class Memory>
void donate() {
    const memory_on_host host(64 * 512);
    Memory memory{host.range()};
    const auto step = memory.manager().load({.name = "step", .code = 1024, .scratch = 512});
    void* const taken = memory.allocate_or_null(2048);
    void* const ended = memory.allocate_or_null(1024);
    void* const kept = memory.allocate_or_null(512);
    REQUIRE((step && taken != nullptr && ended != nullptr && kept != nullptr));
    CHECK(memory.address_of(*step) != nullptr);
    std::memset(taken, 7, 2048);

    const buffer donated[] = {*memory.handle_of(taken), *memory.handle_of(ended), *memory.handle_of(kept)};
    run_result ran;
    REQUIRE(memory.run(*step, {.donated = donated, .outputs = {2048, 4096}, .kept = {2}}, ran));
    CHECK(ran.donated == 1);
    CHECK(memory.address_of(ran.outputs[0]) == taken);
    CHECK(*memory.handle_of(taken) == ran.outputs[0]);
    CHECK(static_cast<std::byte*>(taken)[2047] == std::byte{7});
    void* const fresh = memory.address_of(ran.outputs[1]);
    std::memset(fresh, 8, 4096);
    CHECK(*memory.size_of(fresh) == 4096);
    CHECK(*memory.size_of(kept) == 512);
    if (fresh != ended) CHECK_FALSE(memory.deallocate(ended));
    CHECK(memory.use().in_use() == 2048 + 4096 + 512);
    CHECK(memory.use().allocations == 4);                  // an output that takes over an input is no allocation
    CHECK(memory.use().peak == 2048 + 1024 + 512 + 4096);  // the new output was placed while all donors were there

    CHECK(memory.deallocate(taken));
    CHECK(memory.deallocate(fresh));
    CHECK(memory.deallocate(kept));
    CHECK(memory.use().in_use() == 0);
    CHECK(memory.address_of(ran.outputs[0]) == nullptr);
    CHECK(memory.manager().unload(*step));
    CHECK(memory.manager().live_bytes() == 0);
}

}  // namespace

TEST_CASE("addressed: a run passes donated addresses on to outputs") {
    donate<donating>();
    donate<moving>();
}

TEST_CASE("addressed: a failed run changes no address") {
    const memory_on_host host(8 * 512);
    donating memory{host.range()};
    const auto step = memory.manager().load({.code = 512});
    void* const input = memory.allocate_or_null(1024);
    const buffer donated[] = {*memory.handle_of(input)};
    run_result ran;
    const auto outcome = memory.run(*step, {.donated = donated, .outputs = {1 << 20}}, ran);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().what == address_error::call_failed);
    CHECK(memory.deallocate(input));
    const auto stale = memory.run(*step, {.donated = donated}, ran);
    REQUIRE_FALSE(stale);
    CHECK(stale.error().reason == error::stale_handle);
}

TEST_CASE("addressed: a run leaves its arguments at their addresses, even if they may move") {
    const memory_on_host host(16 * 512);
    moving memory{host.range()};
    const auto step = memory.manager().load({.code = 512});
    void* const above = memory.allocate_or_null(7 * 512);
    void* const input = memory.allocate_or_null(512);
    REQUIRE((step && above != nullptr && input != nullptr));
    CHECK(memory.deallocate(above));
    const buffer donated[] = {*memory.handle_of(input)};
    run_result ran;
    CHECK_FALSE(memory.run(*step, {.donated = donated, .outputs = {14 * 512}, .arguments_may_move = true}, ran));
    CHECK(memory.address_of(donated[0]) == input);
    CHECK(memory.deallocate(input));
}

TEST_CASE("arena: frees its buffers together and no others") {
    const memory_on_host host(64 * 512);
    moving memory{host.range()};
    void* const other = memory.allocate_or_null(512);
    {
        arena step{memory};
        const auto first = step.allocate(1000, 64);
        const auto second = step.allocate(2000);
        REQUIRE((first && second));
        std::memset(*second, 1, 2000);
        CHECK_FALSE(step.allocate(1 << 20));
        CHECK(step.size() == 2);
        memory.compact(1 << 20);
        CHECK(*memory.size_of(*first) == 1024);
        step.release();
        CHECK(step.size() == 0);
        CHECK(memory.manager().live_bytes() == 512);
        CHECK(step.allocate(512));
    }
    CHECK(memory.manager().live_bytes() == 512);
    CHECK(memory.deallocate(other));
}

}  // namespace hbm::test::addressed_runs_tests
