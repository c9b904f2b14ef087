// Thousands of random operations on real bytes, with moves, a device whose copies fail now and then, and every byte
// looked at: what has moved stays moved, nothing is lost.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "planning/failing_device.hpp"
#include "support/checker.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::failing_device_tests {
namespace {

/// Buffers and what was written to them.
struct kept_buffer {
    buffer handle;
    std::uint64_t seed;
};

/// How much of a story was about what.
struct told {
    std::uint64_t operations = 0;
    std::uint64_t failures = 0;  ///< calls that the device failed
    std::uint64_t parted = 0;    ///< states in which a block was in two places
    std::uint64_t bounced = 0;   ///< or also in the bounce region
    std::uint64_t lost = 0;      ///< blocks that were freed or evicted in two places
    std::uint64_t moves = 0;
    std::uint64_t chunks = 0;  ///< copies of moves that overlapped themselves
};

/// Random operations, one after the other, each followed by a look at everything.
template <class Placement>
class byte_story {
public:
    using memory_type = manager<Placement, evict_lru, donate_fitting, relieve_cheapest, failing_device>;

    byte_story(std::uint64_t seed, std::uint64_t quantum, std::uint64_t bounce, bool fails)
        : random_(seed), q_(quantum), fails_(fails),
          memory_(spec_with(quantum, bounce), {.device = failing_device(spec_with(quantum, bounce).capacity)}) {}

    void tell(std::uint64_t operations, told& sums) {
        for (std::uint64_t step = 0; step < operations; ++step) {
            memory_.device().copies_until_failure =
                fails_ && random_.once_in(2) ? random_.below(6) : failing_device::never;
            const buffer moving_before = moving_buffer();
            act(sums);
            sums.lost += moving_before && memory_.check(moving_before) != error::none;
            sums.parted += memory_.moving() ? 1u : 0u;
            sums.bounced += memory_.moving().bounced != 0;
            look();
        }
        memory_.device().copies_until_failure = failing_device::never;
        REQUIRE(memory_.finish_moves());
        look();
        REQUIRE(memory_.device().overlaps == 0);
        sums.operations += operations;
        sums.moves += memory_.done_so_far().moves;
        sums.chunks += memory_.done_so_far().copies;
    }

private:
    static memory_spec spec_with(std::uint64_t quantum, std::uint64_t bounce) {
        return {.name = "bytes",
                .capacity = 48 * quantum + bounce,
                .quantum = quantum,
                .copy_nanoseconds = 1,  // so that evicting is not always cheaper
                .top_reserved = bounce,
                .runs_in_flight = 2,
                .bounce = bounce};
    }
    buffer moving_buffer() const {
        for (const kept_buffer& each : held_)
            if (memory_.state().is_moving(each.handle.index)) return each.handle;
        return {};
    }

    void keep(buffer made) {
        write(memory_, made, ++seeds_);
        held_.push_back({made, seeds_});
    }
    std::size_t any() { return static_cast<std::size_t>(random_.below(held_.size())); }
    void forget(std::size_t at) { held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at)); }
    template <class T>
    bool failed(const result<T>& what, told& sums) {
        if (what) return false;
        sums.failures += what.error().reason == error::device_failed;
        return true;
    }

    void act(told& sums) {
        const std::uint64_t size = (1 + random_.below(12)) * q_ - random_.below(q_);
        switch (random_.below(16)) {
        case 0:
        case 1:
        case 2:
        case 3:
            if (held_.empty()) return;
            {
                const std::size_t at = any();
                REQUIRE(memory_.free(held_[at].handle));
                forget(at);
            }
            return;
        case 4:
            if (const auto made = memory_.load({.name = "p", .code = size, .scratch = random_.below(6) * q_});
                !failed(made, sums))
                loaded_.push_back(*made);
            return;
        case 5:
        case 6: return run(size, sums);
        case 7:
            if (loaded_.size() < 4) return;
            REQUIRE(memory_.unload(loaded_.back()));
            loaded_.pop_back();
            return;
        case 8:
            if (!held_.empty()) failed(memory_.pin(held_[any()].handle), sums);
            return;
        case 9:
        case 10:
            for (const kept_buffer& each : held_)
                while (memory_.pins(each.handle) != 0) REQUIRE(memory_.unpin(each.handle));
            return;
        case 11: memory_.sync(); return;
        case 12:
            if (held_.empty() || memory_.issued() == fence{}) return;
            {
                const std::size_t at = any();
                REQUIRE(memory_.free(held_[at].handle, memory_.issued()));
                forget(at);
            }
            return;
        case 13:
            if (random_.once_in(2)) failed(memory_.finish_moves(), sums);
            return compact(random_.below(20) * q_ + random_.below(q_), sums);
        default:
            if (const auto made = memory_.allocate(size); !failed(made, sums)) keep(*made);
        }
    }

    void compact(std::uint64_t budget, told& sums) {
        const compaction found = memory_.compact(budget);
        REQUIRE(found.moved <= budget);
        sums.failures += found.reason == error::device_failed;
    }

    void run(std::uint64_t size, told& sums) {
        if (loaded_.empty()) return;
        std::vector<buffer> inputs;
        std::vector<buffer> donated;
        if (!held_.empty() && random_.once_in(2)) inputs.push_back(held_[any()].handle);
        if (!held_.empty() && random_.once_in(2)) {
            const buffer donor = held_[any()].handle;
            if (memory_.pins(donor) == 0 && (inputs.empty() || inputs[0] != donor)) donated.push_back(donor);
        }
        const std::vector<output> outputs{size, (1 + random_.below(6)) * q_};
        const auto ran = memory_.run(loaded_[static_cast<std::size_t>(random_.below(loaded_.size()))],
                                     {.inputs = inputs, .donated = donated, .outputs = outputs});
        if (failed(ran, sums)) return;
        for (std::size_t at = held_.size(); at-- > 0;)
            if (memory_.check(held_[at].handle) != error::none) forget(at);
        for (const buffer made : ran->outputs) keep(made);
    }

    void look() const {
        const std::uint64_t capacity = memory_.capacity_bytes();
        test::checker checker(capacity, q_);
        std::size_t buffers = 0;
        std::uint64_t live = 0;
        for (const block_view& block : memory_.blocks()) {
            REQUIRE(checker.allocated(block.where.offset, block.where.size) == nullptr);
            buffers += block.kind == block_kind::data;
            live += block.granted;
        }
        REQUIRE(buffers == held_.size());
        REQUIRE(memory_.live_bytes() == live);
        REQUIRE(checker.reported_free(memory_.free_bytes()) == nullptr);
        REQUIRE(checker.reported_largest_free(memory_.largest_free_bytes()) == nullptr);
        for (const kept_buffer& each : held_) {
            REQUIRE(memory_.check(each.handle) == error::none);
            const bool all_bytes_are_there = reads_back(memory_, each.handle, each.seed);
            REQUIRE(all_bytes_are_there);
            if (memory_.pins(each.handle) != 0) REQUIRE(memory_.pieces(each.handle).size() == 1);
        }
        for (const program each : loaded_) REQUIRE(memory_.check(each) == error::none);
    }

    testing::random_numbers random_;
    std::uint64_t q_;
    bool fails_;
    memory_type memory_;
    std::vector<kept_buffer> held_;
    std::vector<program> loaded_;
    std::uint64_t seeds_ = 0;
};

template <class Placement>
told tell_stories(std::uint64_t bounce, bool fails) {
    told sums;
    for (std::uint64_t seed = 1; seed <= seeds_to_try(40); ++seed) {
        CAPTURE(seed);
        byte_story<Placement>(seed, 16, bounce, fails).tell(100, sums);
    }
    return sums;
}

template <class Placement>
void expect_nothing_lost(bool overlaps = true) {
    CAPTURE(Placement::name.c_str());
    for (const std::uint64_t bounce : {std::uint64_t{0}, std::uint64_t{5 * 16}, std::uint64_t{9 * 16 + 7}}) {
        CAPTURE(bounce);
        const told calm = tell_stories<Placement>(bounce, false);
        const told troubled = tell_stories<Placement>(bounce, true);
        CHECK(calm.failures == 0);
        if (!tries_all_seeds()) continue;
        CHECK(calm.operations == 4'000);
        CHECK(calm.moves > 200);
        CHECK(troubled.operations == 4'000);
        CHECK(troubled.failures > 10);
        if (!overlaps) continue;
        CHECK(calm.chunks > calm.moves);
        CHECK(troubled.parted > 40);  // the story is about these, after all
        CHECK(troubled.lost > 1);
        CHECK((troubled.bounced != 0) == (bounce != 0));
    }
}

TEST_CASE("after thousands of random operations every byte of every live buffer is what was written into it") {
    SUBCASE("best fit") {
        expect_nothing_lost<compacting<best_fit>>();
    }
    SUBCASE("with a reservation") {
        expect_nothing_lost<bottom_reserve<compacting<best_fit>>>();
    }
    SUBCASE("first fit, scratch per program") {
        expect_nothing_lost<bottom_reserve<compacting<first_fit>, scratch_sharing::per_program>>();
    }
    SUBCASE("blocks that are given more than was asked for") {
        expect_nothing_lost<compacting<bfc>>();
    }
    SUBCASE("buddy") {
        expect_nothing_lost<compacting<buddy>>(false);
    }
}

}  // namespace
}  // namespace hbm::test::failing_device_tests
