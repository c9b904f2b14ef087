// The audit of events: silent about managers of all kinds, and naming each rule that tampered events break.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "planning/failing_device.hpp"
#include "support/event_audit.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::event_audit_tests {

namespace {

using testing::event_audit;

constexpr std::uint64_t q = 512;

/// A memory of 16 quanta that claims to have a number of free bytes and no blocks.
struct claimed_memory {
    std::uint64_t free = 16 * q;
    std::vector<block_view> listed = {};

    [[nodiscard]] static std::uint64_t capacity_bytes() { return 16 * q; }
    [[nodiscard]] static memory_spec spec() { return {.capacity = 16 * q, .runs_in_flight = 1}; }
    [[nodiscard]] std::uint64_t free_bytes() const { return free; }
    [[nodiscard]] const std::vector<block_view>& blocks() const { return listed; }
};

event of(event_kind what, std::uint32_t subject, extent where, std::uint64_t from = 0) {
    return {.what = what, .subject = subject, .where = where, .from = from};
}

event_audit audit_of(const std::vector<event>& events) {
    event_audit audit;
    audit.look_at(claimed_memory{});
    for (const event& e : events) audit.check(e);
    return audit;
}

struct broken_case {
    const char* rule;
    std::size_t history;  // events that touch the place
    std::vector<event> events;
};

using enum event_kind;
const event first = of(allocated, 1, {0, 2 * q});
const event second = of(allocated, 2, {4 * q, 2 * q});
const event code = of(loaded, 0, {8 * q, q});
const event in_flight = of(ran, 0, {}, 1);

const std::vector<broken_case> broken_cases{
    {"a block lies on another", 2, {second, first, of(allocated, 3, {q, 2 * q})}},
    {"a block lies on another", 2, {first, of(allocated, 3, {0, q})}},
    {"a block lies on another", 2, {second, first, of(loaded, 0, {5 * q, 4 * q})}},
    {"a block lies outside of memory", 1, {first, of(allocated, 2, {15 * q, 2 * q})}},
    {"a block lies outside of memory", 1, {of(allocated, 2, {17 * q, q})}},
    {"a block is empty or not made of whole quanta", 1, {of(allocated, 2, {q, 0})}},
    {"a block is empty or not made of whole quanta", 1, {of(allocated, 2, {q / 2, q})}},
    {"a block ends or changes that is not in memory", 3, {first, of(freed, 1, {0, 2 * q}), of(freed, 1, {0, 2 * q})}},
    {"a block is freed twice", 3, {first, of(deferred, 1, {0, 2 * q}), of(freed, 1, {0, 2 * q})}},
    {"a block is freed twice", 3, {first, of(deferred, 1, {0, 2 * q}), of(deferred, 1, {0, 2 * q})}},
    {"a block ends that was not freed", 2, {first, second, of(retired, 1, {0, 2 * q})}},
    {"a block ends with another range than it had", 2, {first, of(freed, 1, {0, 3 * q})}},
    {"an event names another block than the one in its place", 2, {first, of(freed, 2, {0, 2 * q})}},
    {"a block moves to a range that is taken", 2, {first, second, of(moved, 1, {5 * q, 2 * q}, 0)}},
    {"a block moves to a range that is taken", 3, {first, second, of(parted, 2, {q, 5 * q}, 4 * q)}},
    {"a block moves that is not in memory", 1, {first, of(moved, 1, {4 * q, 2 * q}, 2 * q)}},
    {"a block arrives with another size than it had", 2, {first, of(moved, 1, {4 * q, 3 * q}, 0)}},
    {"an event names another block than the one in its place", 2, {first, of(moved, 2, {4 * q, 2 * q}, 0)}},
    {"a donated block neither keeps nor returns its tail", 2, {first, of(donated, 1, {0, q})}},
    {"a donated block neither keeps nor returns its tail",
     3,
     {first, of(donated, 1, {0, 2 * q}), of(trimmed, 1, {0, q})}},
    {"a program leaves while a run of it is in flight", 2, {code, in_flight, of(unloaded, 0, {8 * q, q})}},
    {"a program leaves while a run of it is in flight", 2, {code, in_flight, of(evicted, 0, {8 * q, q})}},
    {"a program leaves that is not in memory", 1, {of(evicted, 0, {8 * q, q})}},
    {"a program leaves another range than it had", 1, {code, of(unloaded, 0, {9 * q, q})}},
    {"a program is loaded that is in memory", 1, {code, of(reloaded, 0, {9 * q, q})}},
    {"a program runs that is not in memory", 1, {in_flight}},
    {"a fence is issued twice", 3, {code, in_flight, in_flight}},
    {"a fence is reached that is not in flight",
     4,
     {code, in_flight, of(reached, no_index, {}, 1), of(reached, no_index, {}, 1)}},
    {"the reservation had another size than the event names", 1, {of(reserved, no_index, {0, q}, q)}},
    {"the reservation lies on a block", 2, {first, of(reserved, no_index, {0, q})}}};

/// Random calls on a manager with an audit, whose copies fail now and then. Returns the number of events.
template <class Placement, class Eviction, class Donation>
std::uint64_t events_of(std::uint64_t seed) {
    testing::random_numbers draw(seed);
    const memory_spec spec{.capacity = 48 * q, .runs_in_flight = static_cast<std::uint32_t>(seed % 3)};
    manager<Placement, Eviction, Donation, relieve_cheapest, failing_device, event_audit> memory{
        spec, {.device = failing_device(48 * q)}};
    for (int step = 0; step < 300; ++step) {
        std::vector<buffer> buffers{{}};
        for (const block_view& block : memory.blocks())
            if (block.kind == block_kind::data) buffers.push_back(block.handle);
        std::vector<program> programs{{}};
        for (std::uint32_t slot = 0; slot < memory.programs().size(); ++slot)
            if (memory.handle_of(slot)) programs.push_back(memory.handle_of(slot));
        const buffer one = buffers[draw.below(buffers.size())];
        const buffer two = buffers[draw.below(buffers.size())];
        const program subject = programs[draw.below(programs.size())];
        const std::uint64_t bytes = (1 + draw.below(9)) * q;
        memory.device().copies_until_failure = draw.once_in(4) ? draw.below(4) : failing_device::never;
        switch (draw.below(16)) {
        case 0: memory.free(one); break;
        case 1: memory.free(one, fence{memory.reached().number + draw.below(3)}); break;
        case 2: memory.pin(one); break;
        case 3: memory.unpin(one); break;
        case 4:
            if (programs.size() < 6) static_cast<void>(memory.load({.code = bytes, .scratch = bytes / 2}));
            break;
        case 5: memory.evict(subject); break;
        case 6: memory.unload(subject); break;
        case 7: memory.unload_for_now(subject); break;
        case 8: memory.load(subject); break;
        case 9: memory.sync(); break;
        case 10:
            if constexpr (compacts<Placement>) memory.compact(bytes);
            break;
        case 11:
        case 12:
            static_cast<void>(memory.run(subject, {.inputs = {one}, .donated = {two}, .outputs = {bytes, q}}));
            break;
        default: static_cast<void>(memory.allocate({.bytes = bytes, .alignment = q << draw.below(3)}));
        }
        CAPTURE(seed);
        CAPTURE(step);
        const bool good = memory.events().check_blocks(memory);
        INFO(std::string(good ? "" : memory.events().broken().rule));
        REQUIRE(good);
    }
    return memory.events().events();
}

}  // namespace

TEST_CASE("event audit: names each rule that events break, and the events of the place") {
    for (const broken_case& tampered : broken_cases) {
        const event_audit audit = audit_of(tampered.events);
        CAPTURE(std::string(tampered.rule));
        REQUIRE(audit.broken().rule != nullptr);
        CHECK(std::string_view(audit.broken().rule) == tampered.rule);
        CHECK(audit.broken().event == tampered.events.size());
        CHECK(audit.broken().history.size() == tampered.history);
        CHECK(audit.broken().history.back() == tampered.events.back());
        CHECK(audit_of({tampered.events.begin(), tampered.events.end() - 1}).broken().rule == nullptr);
    }
}

TEST_CASE("event audit: keeps the first broken rule and ignores what follows") {
    event_audit audit = audit_of({first, first});
    const testing::broken_rule broken = audit.broken();
    audit.check(of(freed, 9, {}));
    CHECK(audit.broken() == broken);
    CHECK(audit.events() == 2);
}

TEST_CASE("event audit: compares the free bytes and the blocks of a memory with those of its events") {
    event_audit audit = audit_of({first, of(donated, 1, {0, q}, q)});
    CHECK(audit.check_sums(claimed_memory{.free = 15 * q}));
    event_audit kept = audit;
    CHECK_FALSE(kept.check_sums(claimed_memory{.free = 14 * q}));  // the tail of the donated block was not returned
    CHECK(kept.broken().rule == std::string_view("free bytes are not those that the blocks leave"));

    const block_view listed{.kind = block_kind::data, .where = {0, q}};
    CHECK(audit.check_blocks(claimed_memory{.free = 15 * q, .listed = {listed}}));
    event_audit missing = audit;
    CHECK_FALSE(missing.check_blocks(claimed_memory{.free = 15 * q}));
    CHECK(missing.broken().rule == std::string_view("blocks of the events are not in memory"));
    block_view longer = listed;
    longer.where.size = 2 * q;
    CHECK_FALSE(audit.check_blocks(claimed_memory{.free = 15 * q, .listed = {longer}}));
    CHECK(audit.broken().rule == std::string_view("a block is not one of those that the events leave"));
}

TEST_CASE("event audit: remembers as many events as it says") {
    event_audit audit = audit_of({first});
    for (std::size_t pair = 0; pair < event_audit::remembered / 2; ++pair) {
        audit.check(second);
        audit.check(of(freed, 2, second.where));
    }
    audit.check(of(allocated, 3, {0, q}));
    REQUIRE(audit.broken().rule != nullptr);
    CHECK(audit.broken().history.size() == 1);
    CHECK(audit.broken().event == event_audit::remembered + 2);
}

TEST_CASE("event audit: finds nothing in random calls of managers whose copies fail") {
    std::uint64_t events = 0;
    for (std::uint64_t seed = 0; seed < seeds_to_try(12); ++seed) {
        events += events_of<best_fit, never_evict, never_donate>(seed);
        events += events_of<best_fit, evict_lru, donate_fitting>(seed);
        events += events_of<first_fit, evict_lru, donate_same_size>(seed);
        events += events_of<bfc, never_evict, donate_fitting>(seed);
        events += events_of<compacting<buddy>, evict_lru, donate_fitting>(seed);
        events += events_of<compacting<best_fit>, evict_greedy_dual, donate_fitting>(seed);
        events += events_of<bottom_reserve<best_fit>, evict_lru, donate_fitting>(seed);
        events += events_of<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting>(seed);
    }
    CHECK((events > 10000 || !tries_all_seeds()));
}

}  // namespace hbm::test::event_audit_tests
