#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/donation_audit.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/streams.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <support/late_device.hpp>
#include <vector>

namespace hbm::test::donation_audit_tests {

namespace {

constexpr std::uint64_t q = 512;

template <class Donation = donate_same_size, class Placement = first_fit>
using audited = manager<Placement, evict_lru, Donation, relieve_cheapest, no_device, donation_audit>;

constexpr memory_spec small{.name = "small", .capacity = 100 * q};

}  // namespace

TEST_CASE("each donated input that was not taken has a reason") {
    audited<> memory{small};
    const auto p = memory.load({.name = "p", .code = q});
    const auto a = memory.allocate(4 * q, "a");
    const auto b = memory.allocate(4 * q, "b");
    const auto c = memory.allocate(6 * q, "c");
    const extent where_b = memory.where(*b);
    const extent where_c = memory.where(*c);
    REQUIRE(memory.run(*p, {.donated = {*a, *b, *c}, .outputs = {4 * q, 5 * q}}));
    const auto& refused = memory.events().refused();
    REQUIRE(refused.size() == 2);
    CHECK(refused[0] == refused_offer{.why = donation_miss::outputs_were_taken,
                                      .label = memory.tag_of("b"),
                                      .where = where_b,
                                      .closest = 4 * q,
                                      .run = {1}});
    CHECK(refused[1] == refused_offer{.why = donation_miss::no_output_of_its_size,
                                      .label = memory.tag_of("c"),
                                      .where = where_c,
                                      .closest = 5 * q,
                                      .run = {1}});
}

TEST_CASE("a policy that never lets an output take an input over is told from a want of outputs") {
    audited<never_donate> memory{small};
    const auto p = memory.load({.name = "p", .code = q});
    const auto a = memory.allocate(4 * q, "a");
    const auto b = memory.allocate(3 * q, "b");
    REQUIRE(memory.run(*p, {.donated = {*a, *b}, .outputs = {4 * q}}));
    const auto& refused = memory.events().refused();
    REQUIRE(refused.size() == 2);
    CHECK(refused[0].why == donation_miss::not_chosen);
    CHECK(refused[1].why == donation_miss::no_output_of_its_size);
    const auto c = memory.allocate(4 * q, "c");
    REQUIRE(memory.run(*p, {.donated = {*c}}));
    REQUIRE(refused.size() == 3);
    CHECK(refused[2].why == donation_miss::no_output_of_its_size);
    CHECK(refused[2].closest == 0);
    CHECK(refused[2].run == fence{2});
}

TEST_CASE("an input that is bound to an output of another size is not chosen for one of its own") {
    audited<> memory{small};
    const auto p = memory.load({.name = "p", .code = q});
    const auto a = memory.allocate(4 * q, "a");
    REQUIRE(memory.run(*p, {.donated = {*a}, .outputs = {4 * q, {5 * q, tag::none, aliasing::may, 0}}}));
    REQUIRE(memory.events().refused().size() == 1);
    CHECK(memory.events().refused()[0].why == donation_miss::not_chosen);
}

TEST_CASE("what is freed otherwise, taken over or kept is no refusal") {
    audited<> memory{{.name = "small", .capacity = 100 * q, .runs_in_flight = 1}};
    const auto p = memory.load({.name = "p", .code = q});
    const auto a = memory.allocate(4 * q, "a");
    const auto b = memory.allocate(3 * q, "b");
    const auto c = memory.allocate(2 * q, "c");
    REQUIRE(memory.free(*b));
    const auto ran = memory.run(*p, {.donated = {*a, *c}, .outputs = {4 * q}, .kept = {1}});
    REQUIRE(ran);
    CHECK(memory.done_so_far().donations_kept == 1);
    REQUIRE(memory.free(ran->outputs[0]));  // waits for the run
    REQUIRE(memory.free(*c));
    memory.sync();
    REQUIRE_FALSE(memory.allocate(200 * q));
    CHECK(memory.events().refused().empty());
    CHECK(memory.events().refusals() == 0);
    // A refused donor whose free waits for the run counts once.
    const auto d = memory.allocate(7 * q, "d");
    REQUIRE(memory.run(*p, {.donated = {*d}, .outputs = {q}}));
    memory.sync();
    CHECK(memory.events().refusals() == 1);
    CHECK(memory.events().refused()[0].label == memory.tag_of("d"));
}

TEST_CASE("donation_audit: a manager made by under begins after the runs of the other") {
    manager<first_fit> memory{small};
    const auto p = memory.load({.name = "p", .code = q});
    const auto a = memory.allocate(q);
    REQUIRE(memory.run(*p, {.inputs = {*a}}));
    REQUIRE(memory.run(*p, {.donated = {*a}}));
    const auto b = memory.allocate(q);
    auto other = memory.under<audited<>>();
    REQUIRE(other.free(*b));
    CHECK(other.events().refusals() == 0);
}

TEST_CASE("donation_audit: work of the user's own and late copies are not runs, and refuse nothing") {
    using late = manager<streams<compacting<best_fit>, 2>, never_evict, donate_same_size, relieve_cheapest,
                         copies_later<late_device>, donation_audit>;
    late memory{{.name = "small", .capacity = 100 * q, .runs_in_flight = 2}, {.device = late_device(100 * q)}};
    const auto p = memory.load({.name = "p", .code = q});
    const auto a = memory.allocate(q);
    const auto hole = memory.allocate(4 * q);
    const auto b = memory.allocate(q);
    const auto c = memory.allocate(2 * q);
    REQUIRE(memory.issue({.uses = {*a}}));
    REQUIRE(memory.free(*hole));
    REQUIRE(memory.begin_compaction(100 * q));
    REQUIRE(memory.free(*b));
    memory.sync();
    REQUIRE(memory.free(*memory.allocate(q)));
    CHECK(memory.events().refusals() == 0);
    REQUIRE(memory.issue({.uses = {*a}}));
    const auto ran = memory.run(*p, {.donated = {*a, *c}, .outputs = {3 * q}});
    REQUIRE(ran);
    REQUIRE(memory.free(ran->outputs[0]));
    REQUIRE(memory.events().refusals() == 2);
    CHECK(memory.events().refused()[1].run == ran->over);
    CHECK(memory.events().refused()[1].closest == 3 * q);
}

TEST_CASE("the latest are kept, all are counted") {
    manager<first_fit, never_evict, donate_same_size, relieve_cheapest, no_device, donation_audit> memory{
        small, {.events = donation_audit{2}}};
    const auto p = memory.load({.name = "p", .code = q});
    for (std::uint64_t i = 1; i <= 5; ++i) {
        const auto x = memory.allocate(i * q);
        REQUIRE(memory.run(*p, {.donated = {*x}}));
    }
    CHECK(memory.events().refusals() == 5);
    REQUIRE(memory.events().refused().size() == 2);
    CHECK(memory.events().refused()[0].where.size == 4 * q);
    CHECK(memory.events().refused()[1].where.size == 5 * q);

    memory.events() = donation_audit{0};
    memory.events().look_at(memory);
    const auto x = memory.allocate(q);
    REQUIRE(memory.free(*x));
    CHECK(memory.events().refusals() == 0);
    const auto y = memory.allocate(q);
    REQUIRE(memory.run(*p, {.donated = {*y}}));
    CHECK(memory.events().refusals() == 1);
    CHECK(memory.events().refused().empty());
}

TEST_CASE("the refusals are just the offers that the manager's totals miss, over a long random run") {
    audited<donate_fitting, bottom_reserve<best_fit>> memory{{.name = "small", .capacity = 100 * q}};
    const auto p = memory.load({.name = "p", .code = q, .scratch = 3 * q});
    std::vector<buffer> live;
    testing::random_numbers numbers(1);
    const auto random = [&](std::uint64_t below) { return numbers.below(below); };
    for (int step = 0; step < 5000; ++step) {
        if (random(3) != 0 || live.size() < 3) {
            if (const auto x = memory.allocate((1 + random(6)) * q)) live.push_back(*x);
        } else if (random(2) == 0) {
            REQUIRE(memory.free(live.back()));
            live.pop_back();
        } else {
            const std::vector<buffer> donated(live.end() - 3, live.end());
            const std::vector<std::uint32_t> kept(random(2), 1);
            const std::vector<output> outputs(random(4), output{(1 + random(6)) * q});
            const auto ran = memory.run(*p, {.donated = donated, .outputs = outputs, .kept = kept});
            if (!ran) continue;
            live.resize(live.size() - 3);
            if (!kept.empty()) live.push_back(donated[1]);
            live.insert(live.end(), ran->outputs.begin(), ran->outputs.end());
        }
        while (live.size() > 12) {
            REQUIRE(memory.free(live.front()));
            live.erase(live.begin());
        }
    }
    const totals& done = memory.done_so_far();
    CHECK(done.donations_taken > 100);
    CHECK(memory.events().refusals() == done.donations_offered - done.donations_kept - done.donations_taken);
    CHECK(memory.events().refusals() > 100);
}

}  // namespace hbm::test::donation_audit_tests
