// --verify: replays with an audit of all events.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compare/managers/shipped.hpp"
#include "compare/verify/verify.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::test::verify_tests {

using namespace hbm::compare;

TEST_CASE("verify: finds no broken rule in replays of any shipped manager") {
    options given;
    for (const char* workload : {"uniform_churn:operations=300", "sharded_training:steps=2,layers=4"})
        given.sources.push_back({.text = workload, .is_generated = true});
    std::vector<scenario> scenarios;
    std::vector<std::string> warnings;
    REQUIRE(gather_workloads(given, scenarios, warnings).empty());
    std::uint64_t events = 0;
    for (const manager_entry& manager : shipped_managers()) {
        for (const scenario& replayed : scenarios) {
            CAPTURE(std::string(manager.full_name));
            CAPTURE(replayed.title);
            const auto audited =
                replay_audited(manager, replayed.load, {.capacity = std::uint64_t{1} << 36, .runs_in_flight = 1});
            REQUIRE(audited);
            CHECK(audited->broken.rule == nullptr);
            CHECK(audited->events != 0);
            events += audited->events;
        }
    }
    CHECK(events > 10'000);
}

TEST_CASE("verify: says that it cannot audit a manager of the user") {
    manager_entry own = shipped_managers().front();
    own.wide.audit = nullptr;
    CHECK_FALSE(replay_audited(own, {}, {.capacity = 1024}));
}

TEST_CASE("verify: a message about a broken rule has its event, its row and the events of the place") {
    const audited_replay audited{.events = 5,
                                 .row = 3,
                                 .broken = {"a block lies on another",
                                            5,
                                            {{.what = event_kind::loaded, .where = {0, 1024}, .from = 512},
                                             {.what = event_kind::failed, .where = {0, 512}}}}};
    CHECK(broken_rule("best_fit, t.csv", audited) ==
          "best_fit, t.csv: event 5, row 3: a block lies on another. The events of that place:\n"
          "  loaded [0, 1024) from 512\n"
          "  failed [0, 512) from 0");
}

}  // namespace hbm::test::verify_tests
