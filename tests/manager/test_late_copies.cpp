// Moves by a device that copies later: what they hold, when blocks move, what becomes of them if somebody uses the
// blocks meanwhile, and that no byte is lost with any copy failing.
#include <hbm/events/event_log.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>
#include <hbm/manager/streams.hpp>
#include <hbm/relief/never_relieve.hpp>
#include <hbm/testing/late_copy_checks.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <support/late_device.hpp>
#include <testing/seeds.hpp>
#include <vector>

namespace hbm::test::late_copies_tests {

namespace {

constexpr std::uint64_t q = 512;
constexpr std::uint64_t all = ~std::uint64_t{0};
constexpr stream compute{0};
template <class Placement>
using late =
    manager<streams<Placement, 2>, evict_lru, donate_same_size, relieve_cheapest, copies_later<late_device>, event_log>;
using plain = late<compacting<best_fit>>;

template <class Memory>
Memory made(std::uint64_t quanta, std::uint32_t runs = 4) {
    return Memory({.capacity = quanta * q, .runs_in_flight = runs}, {.device = late_device(quanta * q)});
}

/// Writes to all of a buffer.
template <class Memory>
void write(Memory& memory, buffer held, std::uint64_t seed) {
    testing::random_numbers numbers(seed);
    for (const extent& piece : memory.pieces(held))
        for (std::byte& byte : memory.device().device().bytes(piece.offset, piece.size))
            byte = static_cast<std::byte>(numbers.next());
}
template <class Memory>
[[nodiscard]] bool reads_back(Memory& memory, buffer held, std::uint64_t seed) {
    testing::random_numbers numbers(seed);
    bool good = true;
    for (const extent& piece : memory.pieces(held))
        for (const std::byte byte : memory.device().device().bytes(piece.offset, piece.size))
            good &= byte == static_cast<std::byte>(numbers.next());
    return good;
}
/// A memory of eight quanta with one block at 3, which can move to 0.
plain with_a_move(buffer& high) {
    plain memory = made<plain>(8);
    const auto low = memory.allocate(3 * q);
    high = *memory.allocate(2 * q, "high");
    CHECK(memory.free(*low));
    write(memory, high, 1);
    return memory;
}
std::vector<event_kind> kinds(const plain& memory) {
    std::vector<event_kind> listed;
    for (const event& occurred : memory.events().events) listed.push_back(occurred.what);
    return listed;
}

}  // namespace

TEST_CASE("plan_for: leaves the state of a constant fork as it was") {
    buffer high;
    const plain memory = with_a_move(high);
    const auto fork = memory.fork();
    const auto before = fork.state();
    CHECK(fork.plan_for(request{.bytes = 6 * q}).found);
    CHECK(fork.state() == before);
    CHECK(fork.state() == memory.state());
}

TEST_CASE("check_late_copies: accepts a good device and names what a bad one breaks") {
    const auto bytes_at = [](late_device& device, std::uint64_t at) -> std::byte& { return device.bytes(at, 1)[0]; };
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        late_device device(100);
        device.early = seed % 2 == 0;
        device.until_failure = seed;
        CHECK(testing::check_late_copies(device, 100, {7}, bytes_at, testing::random_numbers(seed)) == nullptr);
        CHECK(device.mistakes == 0);
    }
    struct lossy : late_device {
        using late_device::late_device;
        bool copied(fence over) { return late_device::copied(over), true; }
        bool operator==(const lossy&) const = default;
    };
    struct long_copies : late_device {
        using late_device::late_device;
        bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes, fence over) {
            return late_device::copy(to, from, bytes + (to + bytes < from && from + bytes < 100), over);
        }
        bool operator==(const long_copies&) const = default;
    };
    lossy bad(100);
    bad.until_failure = 3;
    CHECK(std::string(testing::check_late_copies(bad, 100, {}, bytes_at, testing::random_numbers(1))) ==
          "copies arrived, but a byte of a target is another");
    long_copies worse(100);
    CHECK(std::string(testing::check_late_copies(worse, 100, {}, bytes_at, testing::random_numbers(1))) ==
          "a copy changes bytes outside of its target");
}

TEST_CASE("begin_compaction: returns at once, and the block moves when the fence is retired") {
    buffer high;
    plain memory = with_a_move(high);
    memory.events().events.clear();
    const auto begun = memory.begin_compaction(all);
    REQUIRE(begun);
    CHECK(*begun == begun_compaction{.over = memory.issued({1}), .bytes = 2 * q, .moves = 1});
    CHECK(memory.where(high) == extent{3 * q, 2 * q});
    CHECK(memory.free_bytes() == 4 * q);
    CHECK(memory.nanoseconds_until(begun->over) == memory.spec().move_nanoseconds(2 * q));
    CHECK(memory.begin_compaction(all)->over == fence{});  // nothing else to move
    CHECK(memory.retire(begun->over));
    CHECK(memory.where(high) == extent{0, 2 * q});
    CHECK(memory.free_bytes() == 6 * q);
    CHECK(reads_back(memory, high, 1));
    CHECK(memory.done_so_far().moves == 1);
    CHECK(memory.done_so_far().moved_bytes == 2 * q);
    CHECK(memory.done_so_far().move_nanoseconds == 0);  // nobody waited
    CHECK(kinds(memory) == std::vector{event_kind::begun, event_kind::reached, event_kind::moved});
    CHECK(memory.begin_compaction(all)->over == fence{});
    CHECK(memory.device().device().mistakes == 0);
}

TEST_CASE("begin_compaction: a copy that fails, or does not begin, leaves the block in its place") {
    for (const bool begins : {false, true}) {
        buffer high;
        plain memory = with_a_move(high);
        (begins ? memory.device().device().until_failure : memory.device().device().until_refusal) = 0;
        const auto begun = memory.begin_compaction(all);
        REQUIRE(begun);
        CHECK((begun->over != fence{}) == begins);
        memory.sync();
        CHECK(memory.where(high) == extent{3 * q, 2 * q});
        CHECK(memory.free_bytes() == 6 * q);
        CHECK(reads_back(memory, high, 1));
        CHECK(memory.state().streams.copies.empty());
    }
}

TEST_CASE(
    "begin_compaction: a block that is used, pinned or freed meanwhile stays, and so does one that work writes to") {
    enum class use { run_in_flight, run_over, work, pin, free };
    for (const use meanwhile : {use::run_in_flight, use::run_over, use::work, use::pin, use::free}) {
        buffer high;
        plain memory = with_a_move(high);
        const auto step = memory.load({.name = "step", .code = q});
        REQUIRE(step);
        const auto begun = memory.begin_compaction(all);
        REQUIRE(begun->moves == 1);
        if (meanwhile == use::run_in_flight || meanwhile == use::run_over) CHECK(memory.run(*step, {.inputs = {high}}));
        if (meanwhile == use::run_over) CHECK(memory.retire(memory.issued(compute)));
        if (meanwhile == use::work) {
            CHECK(memory.issue({.on = compute, .uses = {high}}));
            write(memory, high, 2);
            CHECK(memory.retire(memory.issued(compute)));
        }
        if (meanwhile == use::pin) CHECK(memory.pin(high));
        if (meanwhile == use::free) CHECK(memory.free(high));
        CHECK(memory.retire(begun->over));
        if (meanwhile == use::free)
            CHECK(memory.live_bytes() == q);
        else
            CHECK((memory.where(high).offset != 3 * q) == (meanwhile == use::run_over));  // it only read
        if (meanwhile != use::free) CHECK(reads_back(memory, high, meanwhile == use::work ? 2 : 1));
    }
}

TEST_CASE("relief: waits for copies that are not over, and then needs less") {
    buffer high;
    plain memory = with_a_move(high);
    const auto begun = memory.begin_compaction(all);
    const auto call = [](auto& trial) { return trial.allocate(6 * q); };
    CHECK(awaited_fence(memory, call) == begun->over);
    REQUIRE(call(memory));
    CHECK(memory.is_over(begun->over));
    CHECK(memory.done_so_far().waits == 1);
    CHECK(memory.where(high).offset == 0);
    CHECK(reads_back(memory, high, 1));
}

TEST_CASE("relief: waits for each of its own copies, overlapping ones piece by piece") {
    plain memory = made<plain>(6);
    const auto low = memory.allocate(q), high = memory.allocate(3 * q);
    write(memory, *high, 1);
    CHECK(memory.issue({.on = compute, .us = 1'000'000}));  // goes on meanwhile
    CHECK(memory.free(*low));
    memory.events().events.clear();
    REQUIRE(memory.allocate(3 * q));
    CHECK(memory.where(*high).offset == 3 * q);
    CHECK(reads_back(memory, *high, 1));
    CHECK(memory.done_so_far().copies == 2);
    CHECK_FALSE(memory.is_over(memory.issued(compute)));
    CHECK(memory.reached({1}) == memory.issued({1}));
    CHECK(kinds(memory) ==
          std::vector{event_kind::reached, event_kind::reached, event_kind::moved, event_kind::allocated});
    CHECK(memory.device().device().mistakes == 0);
}

TEST_CASE_TEMPLATE("late copies: no byte is lost, whichever copy fails, or does not begin", memory_type, plain,
                   late<bottom_reserve<compacting<best_fit>>>) {
    std::uint64_t moves = 0, failures = 0;
    for (std::uint64_t seed = 0; seed < seeds_to_try(10); ++seed) {
        for (std::uint64_t failing = 0;; ++failing) {
            memory_type memory = made<memory_type>(48, 2);
            late_device& device = memory.device().device();
            device.early = seed % 3 == 0;
            (seed % 5 == 0 ? device.until_refusal : device.until_failure) = failing;
            testing::random_numbers random(seed);
            struct written {
                buffer held;
                std::uint64_t seed;
            };
            std::vector<written> buffers;
            std::vector<program> programs;
            const auto all_read_back = [&] {
                bool good = true;
                for (const written& buffer : buffers) good = good && reads_back(memory, buffer.held, buffer.seed);
                return good;
            };
            std::uint64_t contents = 0;
            for (int step = 0; step < 120; ++step) {
                const std::size_t at = buffers.empty() ? 0 : random.below(buffers.size());
                switch (random.below(10)) {
                case 0:
                case 1:
                case 2:
                    if (const auto held = memory.allocate((1 + random.below(9)) * q)) {
                        buffers.push_back({*held, ++contents});
                        write(memory, *held, contents);
                    }
                    break;
                case 3:
                    if (buffers.empty()) break;
                    REQUIRE(memory.free(buffers[at].held));
                    buffers.erase(buffers.begin() + static_cast<std::ptrdiff_t>(at));
                    break;
                case 4: {
                    if (buffers.empty()) break;
                    const auto issued = memory.issue({.uses = {buffers[at].held}, .us = random.below(9)});
                    if (!issued) break;  // an interrupted move of it cannot be finished
                    write(memory, buffers[at].held, buffers[at].seed = ++contents);
                    break;
                }
                case 5:
                    if (programs.size() < 2)
                        if (const auto fresh = memory.load({.name = "p", .code = q, .scratch = q}))
                            programs.push_back(*fresh);
                    if (!programs.empty() && !buffers.empty())
                        static_cast<void>(memory.run(programs[0], {.inputs = {buffers[at].held}, .run_us = 3}));
                    break;
                case 6:
                    if (!programs.empty() && random.once_in(2)) static_cast<void>(memory.evict(programs[0]));
                    break;
                case 7: static_cast<void>(memory.compact((1 + random.below(8)) * q)); break;
                case 8:
                    REQUIRE(memory.retire(
                        {memory.reached().number + random.up_to(memory.issued().number - memory.reached().number)}));
                    break;
                default: static_cast<void>(memory.begin_compaction(random.below(16) * q));
                }
                REQUIRE(all_read_back());
            }
            memory.sync();
            REQUIRE(memory.finish_moves());
            REQUIRE(all_read_back());
            REQUIRE(device.mistakes == 0);
            REQUIRE(memory.state().streams.copies.empty());
            for (const block_view& block : memory.blocks()) REQUIRE(block.holds == 0);
            moves += memory.done_so_far().moves;
            const std::uint64_t left = seed % 5 == 0 ? device.until_refusal : device.until_failure;
            if (left != late_device::never) break;  // every copy arrived: there is no such copy
            ++failures;
        }
    }
    if (tries_all_seeds()) {
        CHECK(moves > 300);
        CHECK(failures > 60);
    }
}

TEST_CASE("begin_compaction: counts moves that the device does not begin, and a pin drops a copy") {
    buffer high;
    plain memory = with_a_move(high);
    memory.device().device().until_refusal = 0;
    CHECK(*memory.begin_compaction(all) == begun_compaction{.refused = 1});
    memory.device().device().until_refusal = late_device::never;
    const auto begun = memory.begin_compaction(all);
    REQUIRE(memory.pin(high));
    write(memory, high, 2);  // by what the pin stands for
    REQUIRE(memory.unpin(high));
    REQUIRE(memory.retire(begun->over));
    CHECK(memory.where(high) == extent{3 * q, 2 * q});
    CHECK(reads_back(memory, high, 2));
}

TEST_CASE("under: a manager copies later on the stream of its own device") {
    using bytes_less = manager<streams<compacting<best_fit>, 2>, evict_lru, donate_same_size>;
    bytes_less before{{.capacity = 8 * q}};
    const auto low = before.allocate(3 * q), high = before.allocate(2 * q);
    REQUIRE(before.free(*low));
    plain memory = before.under<plain>({.device = late_device(8 * q)});
    write(memory, *high, 1);
    const auto begun = memory.begin_compaction(all);
    REQUIRE(memory.retire(begun->over));
    CHECK(memory.where(*high) == extent{0, 2 * q});
    CHECK(reads_back(memory, *high, 1));
    bytes_less after = memory.under<bytes_less>();
    const auto moved = after.allocate(7 * q);
    CHECK(moved.error().reason == error::buffer_does_not_fit);

    // A manager that was moved from begins anew.
    const plain taken = static_cast<plain&&>(memory);
    REQUIRE(memory.extend(8 * q));
    memory.device() = late_device(8 * q);
    const auto first = memory.allocate(q), second = memory.allocate(q);
    REQUIRE(memory.free(*first));
    CHECK(memory.begin_compaction(all)->moves == 1);
    CHECK(memory.check(*second) == error::none);
    memory.sync();
}

TEST_CASE("a refused call with copies in flight changes nothing: the trial waits in the order of the model") {
    using patient =
        manager<streams<compacting<best_fit>, 2>, never_evict, never_donate, never_relieve, copies_later<late_device>>;
    patient memory({.capacity = 6 * q, .runs_in_flight = 4}, {.device = late_device(6 * q)});
    const auto first = memory.allocate(q), gap = memory.allocate(q), wall = memory.allocate(q),
               read = memory.allocate(q), last = memory.allocate(q);
    const auto step = memory.load({.name = "step", .code = q});
    REQUIRE(memory.pin(*wall));
    REQUIRE(memory.pin(*last));
    REQUIRE(memory.free(*first));
    REQUIRE(memory.begin_compaction(q)->moves == 1);
    const auto ran = memory.run(*step, {.inputs = {*read}});
    REQUIRE(memory.free(*gap));
    const auto before = memory.state();
    const auto large = memory.allocate(2 * q);
    if (!large) CHECK(memory.state() == before);
    CHECK(large.has_value() == memory.is_over(ran->over));
}

namespace {

/// `[ 1 free | slid, 3 long, half moved | x, 4 long | p, 8 long ]`: p runs; later work that uses x is on the stream of
/// the copies, and x is freed.
struct half_moved {
    plain memory = made<plain>(16, 2);
    buffer slid;
    program p;
    fence ran;

    half_moved() {
        const auto gap = memory.allocate(q);
        slid = *memory.allocate(3 * q);
        const auto x = memory.allocate(4 * q);
        p = *memory.load({.name = "p", .code = 8 * q});
        write(memory, slid, 1);
        REQUIRE(memory.free(*gap));
        REQUIRE(memory.compact(q).moved == q);
        ran = memory.run(p, {.run_us = 1000})->over;
        REQUIRE(memory.issue({.on = {1}, .uses = {*x}, .us = 2000}));
        REQUIRE(memory.free(*x));
        REQUIRE(memory.moving());
    }
    void check() {
        CHECK(memory.is_over(ran));
        CHECK_FALSE(memory.about(p).resident);
        CHECK_FALSE(memory.moving());
        CHECK(reads_back(memory, slid, 1));
        for (const block_view& block : memory.blocks()) CHECK(block.holds + block.pins == 0);
    }
};

}  // namespace

TEST_CASE("relief: waits for a run before its program leaves, though the copy that ends a move ends later work") {
    half_moved here;
    REQUIRE(here.memory.allocate(12 * q));
    here.check();
}

TEST_CASE("relieve: carries out a plan for a memory with a pending move whose copy ends work that is waited for") {
    half_moved here;
    const auto planned = here.memory.plan_for({.bytes = 12 * q});
    REQUIRE(planned.found);
    CHECK(here.memory.relieve(*planned.found));
    here.check();
    CHECK(here.memory.largest_free_bytes() >= 12 * q);
}

}  // namespace hbm::test::late_copies_tests
