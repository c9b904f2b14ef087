// Defragmentation by the caller: moves that have begun, which are copied while other calls go on, and end together.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/event_log.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/passes.hpp>
#include <hbm/manager/streams.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/relief/never_relieve.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <support/event_audit.hpp>
#include <testing/seeds.hpp>
#include <vector>

namespace hbm::test::passes_tests {

namespace {

constexpr std::uint64_t q = 512;
constexpr std::uint64_t all = ~std::uint64_t{0};
using plain = manager<compacting<best_fit>>;
using heard =
    manager<compacting<best_fit>, evict_lru, donate_fitting, relieve_cheapest, no_device, testing::event_audit>;

template <class Memory>
concept has_passes = requires(Memory memory) {
    memory.begin_pass(1);
};
static_assert(has_passes<plain>);
static_assert(has_passes<manager<bottom_reserve<compacting<buddy>>>>);
static_assert(!has_passes<manager<best_fit>>);

/// Blocks of these lengths in quanta, one after the other from the bottom; those of negative length are freed again.
template <class Memory>
std::vector<buffer> lay_out(Memory& memory, const std::vector<int>& lengths) {
    std::vector<buffer> placed;
    for (const int length : lengths)
        placed.push_back(*memory.allocate(static_cast<std::uint64_t>(std::abs(length)) * q));
    for (std::size_t at = 0; at < lengths.size(); ++at)
        if (lengths[at] < 0) REQUIRE(memory.free(placed[at]));
    return placed;
}
template <class Memory>
std::uint64_t count_holes(const Memory& memory) {
    std::uint64_t count = 0;
    std::uint64_t end = all;
    for (const block_view& block : memory.blocks_and_holes()) {
        if (block.kind != block_kind::hole) continue;
        count += block.where.offset != end;
        end = block.where.end();
    }
    return count;
}

}  // namespace

TEST_CASE("passes: begin lists the moves, which arrive when the pass ends") {
    plain memory{{.capacity = 8 * q}};
    const auto blocks = lay_out(memory, {1, -2, 1, -1, 2, -1});
    const pass begun = memory.begin_pass(all);
    REQUIRE(begun.size() == 1);
    const begun_move& move = begun.moves[0];
    CHECK(move.kind == block_kind::data);
    CHECK(move.block == blocks[4]);
    CHECK(move.from == 5 * q);
    CHECK(move.to == q);
    CHECK(move.bytes == 2 * q);
    CHECK(memory.where(blocks[4]) == extent{5 * q, 2 * q});
    CHECK(memory.free_bytes() == 2 * q);  // both places are taken
    CHECK(memory.import({q, q}).error().reason == error::range_is_taken);

    CHECK(*memory.end_pass(begun) == pass_result{.moved = 2 * q, .arrived = 1});
    CHECK(memory.where(blocks[4]) == extent{q, 2 * q});
    CHECK(memory.free_bytes() == 4 * q);
    CHECK(memory.largest_free_bytes() == 4 * q);
    CHECK(memory.done_so_far().moves == 1);
    CHECK(memory.done_so_far().copies == 1);
    CHECK(memory.done_so_far().moved_bytes == 2 * q);
    CHECK(memory.begin_pass(all).empty());
}

TEST_CASE("passes: the budget limits the bytes of all moves") {
    for (std::uint64_t budget = 0; budget <= 5; ++budget) {
        plain memory{{.capacity = 20 * q}};
        lay_out(memory, {-1, 1, -1, 1, -1, 1, -1, 1, -1, 1});
        const pass begun = memory.begin_pass(budget * q + q - 1);
        std::uint64_t bytes = 0;
        for (const begun_move& move : begun) bytes += move.bytes;
        CHECK(bytes <= budget * q);
        CHECK(begun.empty() == (budget == 0));
        CHECK(memory.end_pass(begun));
    }
}

TEST_CASE("passes: a move that failed leaves its block in place, and a later pass moves it") {
    plain memory{{.capacity = 10 * q}};
    const auto blocks = lay_out(memory, {-1, 1, -1, 1, -1, 1, 1});
    const plain before = memory;
    const pass begun = memory.begin_pass(all);
    REQUIRE(begun.size() == 2);
    CHECK(*memory.end_pass(begun, {0, 1, 1}) == pass_result{.failed = 2});
    CHECK(count_holes(memory) == count_holes(before));
    for (const buffer held : blocks) CHECK(memory.where(held) == before.where(held));
    CHECK(*memory.end_pass(memory.begin_pass(all), {1}) == pass_result{.moved = q, .arrived = 1, .failed = 1});
    CHECK(memory.end_pass(memory.begin_pass(all)));
    CHECK(memory.begin_pass(all).empty());
    CHECK(memory.largest_free_bytes() == 6 * q);
}

TEST_CASE("passes: ending a pass twice, a foreign pass or a bad index is an error without effect") {
    plain memory{{.capacity = 8 * q}};
    lay_out(memory, {-1, 1, -1, 1});
    const pass begun = memory.begin_pass(all);
    REQUIRE(begun.size() == 1);
    const plain open = memory;

    const auto bad = memory.end_pass(begun, {0, 1});
    CHECK(bad.error().reason == error::bad_argument);
    CHECK(bad.error().argument == 1);
    pass twice = begun;
    twice.moves.push_back(begun.moves[0]);
    CHECK(memory.end_pass(twice).error().reason == error::stale_handle);
    CHECK(memory.end_pass(pass{{begun_move{}}}).error().reason == error::stale_handle);
    plain other{{.capacity = 8 * q}, {.salt = 7}};
    CHECK(other.end_pass(begun).error().reason == error::foreign_handle);
    CHECK(memory == open);

    CHECK(memory.end_pass(begun));
    const plain ended = memory;
    CHECK(memory.end_pass(begun).error().reason == error::stale_handle);
    CHECK(memory == ended);
    CHECK(*memory.end_pass(pass{}) == pass_result{});
}

TEST_CASE("passes: several are open at once and end in any order") {
    plain memory{{.capacity = 20 * q}};
    lay_out(memory, {-1, 1, -1, 1, -1, 1, -1, 1});
    const pass first = memory.begin_pass(q);
    const pass second = memory.begin_pass(q);
    REQUIRE(first.size() == 1);
    REQUIRE(second.size() == 1);
    CHECK(first.moves[0].block != second.moves[0].block);
    CHECK(memory.end_pass(second)->arrived == 1);
    CHECK(memory.end_pass(first)->arrived == 1);
    pass joined = memory.begin_pass(q);
    for (const begun_move& move : memory.begin_pass(q)) joined.moves.push_back(move);
    CHECK(memory.end_pass(joined)->arrived == joined.size());
}

TEST_CASE("passes: a buffer that is freed meanwhile keeps both places until the pass ends") {
    heard memory{{.capacity = 8 * q}};
    const auto blocks = lay_out(memory, {-1, 1, -1, 1});
    const pass begun = memory.begin_pass(all);
    REQUIRE(begun.size() == 1);
    const std::uint64_t free = memory.free_bytes();
    REQUIRE(memory.free(begun.moves[0].block));
    CHECK(memory.check(begun.moves[0].block) == error::stale_handle);
    memory.sync();
    CHECK(memory.free_bytes() == free);
    CHECK(*memory.end_pass(begun) == pass_result{.stayed = 1});
    CHECK(memory.free_bytes() == 7 * q);
    CHECK(memory.events().check_blocks(memory));
}

TEST_CASE("passes: a buffer that is pinned meanwhile stays") {
    heard memory{{.capacity = 8 * q}};
    lay_out(memory, {-1, 1, -1, 1});
    const pass begun = memory.begin_pass(all);
    REQUIRE(begun.size() == 1);
    const buffer moving = begun.moves[0].block;
    REQUIRE(memory.pin(moving));
    CHECK(*memory.end_pass(begun) == pass_result{.stayed = 1});
    CHECK(memory.where(moving).offset == begun.moves[0].from);
    CHECK(memory.unpin(moving));
    CHECK(memory.end_pass(memory.begin_pass(all))->arrived == 1);
    CHECK(memory.events().check_blocks(memory));
}

TEST_CASE("passes: a buffer that is pinned, if only for a while, stays until another pass; one that is renamed moves") {
    plain memory{{.capacity = 16 * q}};
    lay_out(memory, {-2, 1, -2, 2});
    const pass begun = memory.begin_pass(all);
    REQUIRE(begun.size() == 1);
    const buffer moving = begun.moves[0].block;
    REQUIRE(memory.pin(moving));
    REQUIRE(memory.pin(moving));
    REQUIRE(memory.unpin(moving));
    REQUIRE(memory.unpin(moving));
    CHECK(*memory.end_pass(begun) == pass_result{.stayed = 1});
    const pass again = memory.begin_pass(all);
    REQUIRE(memory.rename(moving, "later"));
    CHECK(memory.end_pass(again)->arrived == 1);
    for (const block_view& block : memory.blocks()) CHECK(block.holds + block.pins == 0);
}

TEST_CASE("passes: an output that takes over a moving buffer stays, for its bytes are new") {
    for (const std::uint32_t flying : {0u, 4u}) {
        CAPTURE(flying);
        heard memory{{.capacity = 16 * q, .runs_in_flight = flying}};
        const auto step = memory.load({.name = "step", .code = q});
        const auto blocks = lay_out(memory, {-2, 1, -2, 2});
        const pass begun = memory.begin_pass(all);
        REQUIRE(begun.size() == 1);
        REQUIRE(begun.moves[0].block == blocks[3]);
        const auto ran = memory.run(*step, {.donated = {blocks[3]}, .outputs = {q}});
        REQUIRE(ran);
        CHECK(ran->donated == 1);
        CHECK(*memory.end_pass(begun) == pass_result{.stayed = 1});
        memory.sync();
        CHECK(memory.where(ran->outputs[0]).offset == begun.moves[0].from);
        CHECK(memory.where(ran->outputs[0]).size == q);  // the rest returns when nothing uses it
        CHECK(memory.events().check_blocks(memory));
        CHECK(memory.free(ran->outputs[0]));
        CHECK(memory.unload(*step));
        CHECK(memory.free_bytes() == 15 * q);
    }
}

TEST_CASE("passes: an input of a run in flight stays; one whose run is over moves") {
    for (const bool is_over : {false, true}) {
        heard memory{{.capacity = 16 * q, .runs_in_flight = 4}};
        const auto step = memory.load({.name = "step", .code = q});
        const auto blocks = lay_out(memory, {-2, 1, -2, 2});
        const pass begun = memory.begin_pass(all);
        const auto ran = memory.run(*step, {.inputs = {blocks[3]}});
        REQUIRE(ran);
        if (is_over) memory.sync();
        CHECK(memory.end_pass(begun)->arrived == is_over);
        memory.sync();
        CHECK(memory.events().check_blocks(memory));
        for (const block_view& block : memory.blocks()) CHECK(block.holds + block.pins == 0);
    }
}

TEST_CASE("passes: a buffer that work used stays, over or not, and a pass that ends leaves all streams as they are") {
    for (const bool is_over : {false, true}) {
        manager<streams<compacting<best_fit>, 2>> memory{{.capacity = 16 * q, .runs_in_flight = 4}};
        const auto blocks = lay_out(memory, {-2, 1, -2, 2});
        const auto other = memory.issue({.on = {0}, .uses = {blocks[1]}});
        const pass begun = memory.begin_pass(all);
        REQUIRE(begun.size() == 1);
        const auto transfer = memory.issue({.on = {1}, .uses = {blocks[3]}});
        REQUIRE(transfer);
        if (is_over) REQUIRE(memory.retire(*transfer));
        CHECK(*memory.end_pass(begun) == pass_result{.stayed = 1});  // the transfer may have written to it
        CHECK_FALSE(memory.is_over(*other));
        CHECK(memory.is_over(*transfer) == is_over);
        memory.sync();
        for (const block_view& block : memory.blocks()) CHECK(block.holds + block.pins == 0);
    }
}

TEST_CASE("passes: a program whose code or scratch moves runs, is evicted, unloaded and reloaded meanwhile") {
    enum class act { none, run, evict, unload, unload_for_now, reload };
    for (const act meanwhile : {act::none, act::run, act::evict, act::unload, act::unload_for_now, act::reload}) {
        CAPTURE(static_cast<int>(meanwhile));
        heard memory{{.capacity = 12 * q}};
        const auto below = memory.allocate(3 * q);
        const auto wall = memory.allocate(q);
        const auto step = memory.load({.name = "step", .code = 2 * q, .scratch = q});
        REQUIRE(memory.pin(*wall));
        REQUIRE(memory.free(*below));
        const pass begun = memory.begin_pass(all);
        REQUIRE(begun.size() == 2);
        for (const begun_move& move : begun) CHECK(move.owner == *step);
        CHECK(begun.moves[0].kind == block_kind::code);
        CHECK(begun.moves[1].kind == block_kind::scratch);
        CHECK_FALSE(memory.allocate(9 * q));  // relief does not evict it now
        switch (meanwhile) {
        case act::none: break;
        case act::run: REQUIRE(memory.run(*step, {})); break;
        case act::evict: REQUIRE(memory.evict(*step)); break;
        case act::unload: REQUIRE(memory.unload(*step)); break;
        case act::unload_for_now: REQUIRE(memory.unload_for_now(*step)); break;
        case act::reload:
            REQUIRE(memory.evict(*step));
            REQUIRE(memory.load(*step));
            break;
        }
        const bool stays_in_memory = meanwhile == act::none || meanwhile == act::run;
        const auto ended = memory.end_pass(begun);
        REQUIRE(ended);
        CHECK(ended->arrived == (stays_in_memory ? 2 : 0));
        CHECK(ended->stayed == (stays_in_memory ? 0 : 2));
        CHECK(memory.events().check_blocks(memory));
        for (const block_view& block : memory.blocks()) CHECK(block.holds == 0);
        CHECK(memory.free_bytes() == (memory.about(*step).resident ? 8 : 11) * q);
    }
}

TEST_CASE("passes: copies of a manager end an open pass each for itself") {
    plain memory{{.capacity = 8 * q}};
    lay_out(memory, {-1, 1, -1, 1});
    const pass begun = memory.begin_pass(all);
    plain copy = memory.copy();
    CHECK(copy == memory);
    auto fork = memory.fork();
    CHECK(fork.end_pass(begun)->arrived == 1);
    CHECK(copy == memory);
    CHECK(copy.end_pass(begun)->arrived == 1);
    CHECK(copy != memory);
    CHECK(memory.end_pass(begun)->arrived == 1);
    CHECK(copy == memory);
}

TEST_CASE("passes: memory grows, and compacts around the moves, while a pass is open") {
    plain memory{{.capacity = 12 * q}};
    lay_out(memory, {-1, 1, -1, 1, -1, 2});
    const pass begun = memory.begin_pass(q);
    REQUIRE(begun.size() == 1);
    CHECK(memory.extend(20 * q));
    while (memory.compact(all).moved != 0) {
    }
    CHECK(memory.end_pass(begun)->arrived == 1);
    CHECK(memory.capacity_bytes() == 20 * q);
}

TEST_CASE("passes: observers receive the target when it is taken, and how each move ends") {
    manager<compacting<best_fit>, never_evict, never_donate, relieve_cheapest, no_device, event_log> memory{
        {.capacity = 10 * q}};
    for (const buffer block : lay_out(memory, {-1, 1, -1, 1, -1, 1, 1}))
        if (memory.check(block) == error::none) CHECK(memory.rename(block, "moves"));
    memory.events().events.clear();
    const pass begun = memory.begin_pass(all);
    REQUIRE(begun.size() == 2);
    CHECK(memory.end_pass(begun, {0}));
    const auto& events = memory.events().events;
    REQUIRE(events.size() == 4);
    for (std::size_t at = 0; at < 4; ++at) {
        const begun_move& move = begun.moves[at % 2];
        CHECK(events[at].what == (at < 2 ? event_kind::begun : at == 2 ? event_kind::stayed : event_kind::moved));
        CHECK(events[at].subject == move.block.index);
        CHECK(events[at].where == extent{move.to, move.bytes});
        CHECK(events[at].from == move.from);
        CHECK(events[at].kind == block_kind::data);
        CHECK(memory.name_of(events[at].label) == std::string("moves"));
    }
}

TEST_CASE_TEMPLATE("passes: blocks go to the end that the placement packs to", memory_type,
                   manager<compacting<first_fit>>, manager<compacting<good_fit>>, manager<compacting<buddy>>,
                   manager<compacting<basic_best_fit<std::uint64_t>>>, manager<bottom_reserve<compacting<best_fit>>>) {
    memory_type memory{{.capacity = 16 * q}};
    std::vector<buffer> held;
    while (const auto fresh = memory.allocate(q)) held.push_back(*fresh);
    for (std::size_t at = 0; at < held.size(); ++at)
        if (at % 3 != 0) REQUIRE(memory.free(held[at]));
    const std::uint64_t free = memory.free_bytes();
    for (pass begun = memory.begin_pass(2 * q); !begun.empty(); begun = memory.begin_pass(2 * q))
        CHECK(memory.end_pass(begun));
    CHECK(memory.largest_free_bytes() == free);
    CHECK((memory.highest_end_bytes() == 16 * q) == (memory_type::placement_type::name.c_str()[0] == 'b'));
}

TEST_CASE("passes: random calls and open passes agree with a plain list of places") {
    using memory_type = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting, never_relieve,
                                no_device, testing::event_audit>;
    struct known_buffer {
        buffer handle;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
        std::uint64_t used_until = 0;  // fence
        bool is_pinned = false;
    };
    std::uint64_t arrived = 0;
    std::uint64_t stayed = 0;
    for_each_seed(40, 400, [&](std::uint64_t seed, std::uint32_t steps) {
        testing::random_numbers random(seed);
        memory_type memory{{.capacity = 128 * q, .runs_in_flight = 3}};
        std::vector<known_buffer> known;
        std::vector<pass> open;
        std::vector<buffer> dropped;  // targets
        std::vector<program> programs;
        for (int at = 0; at < 2; ++at) programs.push_back(*memory.load({.name = "p", .code = 3 * q, .scratch = q}));
        const auto any = [&]() -> known_buffer& { return known[random.below(known.size())]; };
        std::uint32_t step = 0;
        const auto broken = [&](const char* rule) {
            return testing::outcome{.broken = rule, .subject = "passes", .seed = seed, .step = step + 1};
        };
        for (; step < steps; ++step) {
            const std::uint64_t choice = random.below(12);
            if (known.empty() || choice < 3) {
                const std::uint64_t size = (1 + random.below(6)) * q;
                if (const auto fresh = memory.allocate(size))
                    known.push_back({*fresh, memory.where(*fresh).offset, size});
            } else if (choice < 5) {
                known_buffer& freed = any();
                if (!memory.free(freed.handle)) return broken("a buffer is not freed");
                freed = known.back();
                known.pop_back();
            } else if (choice == 5) {
                known_buffer& pinned = any();
                static_cast<void>(pinned.is_pinned ? memory.unpin(pinned.handle) : memory.pin(pinned.handle));
                pinned.is_pinned = !pinned.is_pinned;
                for (const pass& begun : open)
                    for (const begun_move& move : begun)
                        if (pinned.is_pinned && move.block == pinned.handle) dropped.push_back(move.place);
            } else if (choice == 6) {
                known_buffer& input = any();
                if (const auto ran = memory.run(programs[random.below(2)], {.inputs = {input.handle}}))
                    input.used_until = ran->over.number;
            } else if (choice == 7) {
                known_buffer& donor = any();
                if (donor.is_pinned) continue;
                const auto ran =
                    memory.run(programs[random.below(2)], {.donated = {donor.handle}, .outputs = {donor.bytes}});
                if (ran) donor.handle = ran->outputs[0], donor.used_until = ran->over.number;
            } else if (choice == 8) {
                const program subject = programs[random.below(2)];
                static_cast<void>(random.once_in(2) ? memory.evict(subject) : memory.load(subject));
            } else if (choice == 9) {
                static_cast<void>(memory.retire({random.up_to(memory.issued().number)}));
            } else if (choice == 10 && open.size() < 4) {
                open.push_back(memory.begin_pass((1 + random.below(30)) * q));
            } else if (!open.empty()) {
                const std::size_t at = random.below(open.size());
                const pass ended = open[at];
                open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
                trivial_vector<std::uint32_t> failed;
                for (std::uint32_t move = 0; move < ended.size(); ++move) {
                    if (random.once_in(4)) failed.push_back(move);
                    if (!failed.empty() && failed.back() == move) continue;
                    const bool stays =
                        std::find(dropped.begin(), dropped.end(), ended.moves[move].place) != dropped.end();
                    for (known_buffer& moved : known)
                        if (moved.handle == ended.moves[move].block && !stays && !moved.is_pinned &&
                            moved.used_until <= memory.reached().number)
                            moved.offset = ended.moves[move].to;
                }
                const auto result = memory.end_pass(ended, failed);
                if (!result) return broken("a pass cannot end");
                arrived += result->arrived;
                stayed += result->stayed;
            }
            if (!memory.events().check_blocks(memory)) return broken("events and blocks differ");
            for (const known_buffer& held : known)
                if (memory.where(held.handle) != extent{held.offset, held.bytes})
                    return broken("a buffer is elsewhere");
        }
        return testing::outcome{};
    });
    MESSAGE(arrived, " blocks moved, ", stayed, " stayed");
    CHECK(arrived > stayed);
    CHECK(stayed > 0);
}

}  // namespace hbm::test::passes_tests
