// Plans are checked by going through the sequence with the offsets that they give, without anything that made them.

#include <hbm/pack/find_steps.hpp>
#include <hbm/pack/plan_sequence.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hbm::test::plan_sequence_tests {

namespace {

/// Steps of two shapes after a beginning of their own, with blocks that outlive them. The beginnings of the steps are
/// added to `begins`.
known_sequence program(std::uint64_t seed, std::vector<std::uint32_t>& begins) {
    testing::random_numbers random(seed);
    const auto any_size = [&] { return static_cast<std::uint32_t>(20 + random.below(300)); };
    known_sequence made;
    for (int weight = 0; weight < 40; ++weight) made.ask(any_size());
    std::vector<std::vector<std::uint32_t>> sizes(2);
    for (std::vector<std::uint32_t>& shape : sizes)
        for (std::size_t layer = 0; layer < 20; ++layer) shape.push_back(any_size());
    std::uint32_t carried = made.ask(7);
    for (int step = 0; step < 9; ++step) {
        const std::vector<std::uint32_t>& shape = sizes[step % 3 == 2 ? 1 : 0];
        begins.push_back(static_cast<std::uint32_t>(made.count()));
        std::vector<std::uint32_t> kept;
        for (const std::uint32_t size : shape) {
            const std::uint32_t scratch = made.ask(size * 2);
            kept.push_back(made.ask(size));
            made.free(scratch);
        }
        const std::uint32_t next = made.ask(7);
        for (; !kept.empty(); kept.pop_back()) made.free(kept.back());
        made.free(carried);
        carried = next;
    }
    return made;
}

/// What is wrong with a plan for a sequence; empty if nothing is. Blocks that rotate may lie in any of their places.
std::string find_mistake(const known_sequence& all, const sequence_plan& plan) {
    struct lying {
        std::uint64_t begin;
        std::uint64_t end;
        std::uint32_t request;
    };
    std::vector<lying> live;
    std::size_t at = 0;
    for (const std::uint32_t step : plan.order) {
        for (std::uint32_t event = plan.steps[step].first; event < plan.steps[step].end; ++event, ++at) {
            const std::uint32_t request = all.events()[at].request;
            if (plan.events[event].is_free() != all.events()[at].is_free) return "another kind of event";
            if (plan.events[event].size() != all.size_at(at)) return "another size";
            if (all.events()[at].is_free) {
                for (std::size_t which = 0; which < live.size(); ++which)
                    if (live[which].request == request) {
                        live[which] = live.back();
                        live.pop_back();
                        break;
                    }
                continue;
            }
            const auto is_free = [&](std::uint64_t begin) {
                for (const lying& other : live)
                    if (begin < other.end && other.begin < begin + all.size_at(at)) return false;
                return true;
            };
            std::uint64_t begin = plan.events[event].offset;
            for (std::uint32_t place = plan.events[event].stays() ? plan.events[event].partner : no_event;
                 !is_free(begin) && place != no_event; place = plan.places[place].next)
                begin = plan.places[place].offset;
            if (!is_free(begin)) return "overlap";
            if (begin + all.size_at(at) > plan.height) return "beyond the height";
            live.push_back({begin, begin + all.size_at(at), request});
        }
    }
    return "";
}

}  // namespace

TEST_CASE("a sequence takes nothing that makes no sense") {
    known_sequence made;
    CHECK(made.ask(0) == 0);  // a quantum, as everywhere
    CHECK(made.size_at(0) == 1);
    CHECK(made.ask(plan_event::most + 1) == no_event);
    CHECK_FALSE(made.free(no_event));
    CHECK_FALSE(made.free(1));
    CHECK(made.free(0));
    CHECK_FALSE(made.free(0));
    CHECK(made.count() == 2);
    CHECK(plan_for(made).height == 1);
}

TEST_CASE("the steps of a program are found") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::vector<std::uint32_t> begins;
        const known_sequence all = program(seed, begins);
        const trivial_vector<std::uint32_t> found = find_steps(all);
        REQUIRE(found.size() >= 3);
        // A step may be taken to begin elsewhere, but each is as long as one of the program's.
        const std::uint32_t length = begins[1] - begins[0];
        for (std::size_t at = 1; at < found.size(); ++at) CHECK(found[at] - found[at - 1] == length);
    }
}

TEST_CASE("nothing overlaps where a plan is followed, and a step that comes again is the same step") {
    int planned = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::vector<std::uint32_t> begins;
        const known_sequence all = program(seed, begins);
        const sequence_plan plan = plan_for(all, {.max_steps = 0});
        if (plan.events.empty()) continue;  // best fit needs less
        ++planned;
        CHECK(find_mistake(all, plan) == "");
        CHECK(plan.steps.size() < plan.order.size());
        CHECK(plan == plan_for(all, {.max_steps = 0}));
        CHECK(plan.bytes() <= 72 * all.lives().size());
    }
    CHECK(planned > 10);
}

TEST_CASE("a sequence without steps is a step, and nothing needs no plan") {
    known_sequence all;
    const std::uint32_t first = all.ask(2);
    all.ask(4);
    all.free(first);
    all.ask(3);
    const sequence_plan plan = plan_for(all);
    CHECK(plan.order.size() == 1);
    CHECK(plan.height == 7);
    CHECK(find_mistake(all, plan) == "");
    CHECK(plan_for(known_sequence{}) == sequence_plan{});
}

}  // namespace hbm::test::plan_sequence_tests
