#include <doctest/doctest.h>

#include <cstdint>

#include "compare/replay/stream_clock.hpp"

namespace hbm::test::stream_clock_tests {

using namespace hbm::trace;

namespace {

/// Two runs of 100, of which one may be in flight: the host is back at 100, the second is over at 200.
replay_clock with_a_run_in_flight(copying how) {
    replay_clock clock(how);
    clock.run(0, 100, 1);
    clock.run(0, 100, 2);
    clock.wait_for(1);
    return clock;
}

void check_ends(const replay_clock& clock, std::uint64_t end, std::uint64_t stalled) {
    CHECK(clock.end() == end);
    CHECK(clock.stalled() == stalled);
}

}  // namespace

TEST_SUITE("trace stream clock") {
    TEST_CASE("copies on the compute stream: it stands still for all of them") {
        replay_clock clock = with_a_run_in_flight(copying::on_compute);
        clock.move(30);
        clock.run(0, 50, 3);
        check_ends(clock, 280, 30);
    }

    TEST_CASE("copies on their own stream: hidden behind a run in flight, up to its end") {
        for (const std::uint64_t copies : {0U, 30U, 100U, 101U, 150U}) {
            replay_clock clock = with_a_run_in_flight(copying::on_its_own);
            clock.move(copies);
            clock.run(0, 50, 3);
            const std::uint64_t stalled = copies <= 100 ? 0 : copies - 100;
            check_ends(clock, 250 + stalled, stalled);
        }
    }

    TEST_CASE("copies on their own stream: nothing in flight hides them") {
        replay_clock clock = with_a_run_in_flight(copying::on_its_own);
        clock.wait_for(2);
        clock.move(30);
        clock.run(0, 50, 3);
        check_ends(clock, 280, 30);
    }

    TEST_CASE("moves: those of two calls add up, whichever stream copies") {
        for (const copying how : {copying::on_compute, copying::on_its_own}) {
            replay_clock clock = with_a_run_in_flight(how);
            clock.move(70);
            clock.move(80);
            clock.run(0, 50, 3);
            check_ends(clock, how == copying::on_compute ? 400 : 300, how == copying::on_compute ? 150 : 50);
        }
    }

    TEST_CASE("begun copies: the host goes on, and waits only if it is made to") {
        replay_clock clock = with_a_run_in_flight(copying::on_its_own);
        const auto first = clock.begin_moves(150);
        CHECK(first.with == 250);
        CHECK_FALSE(clock.is_over(first));
        clock.run(0, 50, 3);
        check_ends(clock, 250, 0);
        clock.wait_for(3);
        CHECK(clock.is_over(first));
        const auto second = clock.begin_moves(40);
        clock.wait(second);
        clock.run(0, 50, 4);
        check_ends(clock, 340, 40);
    }

    TEST_CASE("begun copies: those that nothing waits for are no part of the end") {
        replay_clock clock = with_a_run_in_flight(copying::on_its_own);
        clock.begin_moves(1000);
        check_ends(clock, 200, 0);
    }

    TEST_CASE("work of the user's own: its end counts if a run waits for it") {
        replay_clock clock(copying::on_its_own, 2);
        clock.run(0, 100, 1);
        clock.work(1, 9000, 2);
        check_ends(clock, 100, 0);
        clock.hold(0, 2);
        clock.run(0, 50, 3);
        check_ends(clock, 9050, 0);
    }

    TEST_CASE("a reload: the compute stream stands still for it either way, and it is no stall of moves") {
        for (const copying how : {copying::on_compute, copying::on_its_own}) {
            replay_clock clock = with_a_run_in_flight(how);
            clock.move(30);
            clock.reload(0, 60);
            clock.run(0, 50, 3);
            check_ends(clock, how == copying::on_compute ? 340 : 310, how == copying::on_compute ? 30 : 0);
        }
    }

    TEST_CASE("streams: work goes on at once, and a stream that waits for a fence begins after it") {
        replay_clock clock(copying::on_its_own, 3);
        clock.run(0, 100, 1);
        clock.run(2, 500, 2);
        clock.hold(0, 2);
        clock.move(300);
        clock.run(0, 50, 3);
        // The copies end at 300, while stream 0 waits for stream 2: they cost nothing.
        check_ends(clock, 550, 0);
        clock.hold(1, 3);
        clock.run(1, 10, 4);
        check_ends(clock, 560, 0);
    }

    TEST_CASE("streams: a fence that is unknown, or over, is no wait") {
        replay_clock clock(copying::on_its_own);
        clock.wait_for(7);
        clock.hold(0, 7);
        clock.run(0, 10, 7);
        clock.wait_for(7);
        clock.wait_for(7);
        check_ends(clock, 10, 0);
    }

    TEST_CASE("times: they saturate") {
        replay_clock clock(copying::on_compute);
        clock.run(0, ~std::uint64_t{0}, 1);
        clock.move(5);
        clock.run(0, 1, 2);
        check_ends(clock, ~std::uint64_t{0}, 0);
    }
}

}  // namespace hbm::test::stream_clock_tests
