#include <hbm/planning/plan.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace hbm::test::plan_tests {

namespace {

constexpr std::uint64_t most = ~std::uint64_t{0};

/// A byte takes a nanosecond each way, a copy 100 more.
constexpr memory_spec plain{.capacity = 1 << 20, .bandwidth = 1'000'000'000, .copy_nanoseconds = 100};

constexpr step costing(step_kind what, std::uint64_t nanoseconds) {
    return {.what = what, .nanoseconds = nanoseconds};
}

}  // namespace

TEST_CASE("a move says what goes where, how far, and at what price") {
    CHECK(move_step(plain, 7, 4096, 1024, 1000) == step{.what = step_kind::move,
                                                        .subject = 7,
                                                        .from = 4096,
                                                        .to = 1024,
                                                        .bytes = 1000,
                                                        .nanoseconds = 100 + 2 * 1000,
                                                        .copies = 1,
                                                        .purpose = step_purpose::room});
    const step up = move_step(plain, 7, 1024, 4096, 1000, step_purpose::aside);
    CHECK(up.from == 1024);
    CHECK(up.to == 4096);
    CHECK(up.nanoseconds == 2100);
    CHECK(up.purpose == step_purpose::aside);
}

TEST_CASE("a move onto itself takes a copy for each piece, whichever way it goes") {
    for (const std::uint64_t to : {700u, 1300u}) {
        CAPTURE(to);
        const step slide = move_step(plain, 0, 1000, to, 1000);
        CHECK(slide.copies == 4);  // 300, 300, 300 and 100
        CHECK(slide.nanoseconds == 4 * 100 + 2 * 1000);
    }
    const step beside = move_step(plain, 0, 1000, 2000, 1000);
    CHECK(beside.copies == 1);
    const step nowhere = move_step(plain, 0, 1000, 1000, 1000);
    CHECK(nowhere.copies == 0);
    CHECK(nowhere.nanoseconds == 0);
}

TEST_CASE("an eviction names the program and its generation, and costs a reload") {
    const program_record record{
        .code = 3000, .scratch = 5000, .reload_nanoseconds = 77, .code_block = 12, .generation = 9, .resident = true};
    CHECK(eviction_step(4, record) == step{.what = step_kind::evict,
                                           .subject = 4,
                                           .from = 9,
                                           .to = 0,
                                           .bytes = 3000,
                                           .nanoseconds = 77,
                                           .copies = 0,
                                           .purpose = step_purpose::room});
}

TEST_CASE("a plan costs what its steps cost together, the largest number at most") {
    plan made;
    CHECK(made.nanoseconds == 0);
    made.add(costing(step_kind::move, 5));
    made.add(costing(step_kind::evict, 7));
    made.add(costing(step_kind::move, 11));
    CHECK(made.steps == trivial_vector<step>{costing(step_kind::move, 5), costing(step_kind::evict, 7),
                                             costing(step_kind::move, 11)});
    CHECK(made.nanoseconds == 23);
    made.add(costing(step_kind::wait, most - 23));
    CHECK(made.nanoseconds == most);  // exactly
    made.add(costing(step_kind::wait, 2));
    CHECK(made.nanoseconds == most);
    CHECK(made.steps.size() == 5);
}

TEST_CASE("a plan tells its kinds of steps apart, and what each of them costs") {
    plan made;
    for (const step_kind each : {step_kind::wait, step_kind::evict, step_kind::move}) {
        CHECK_FALSE(made.has(each));
        CHECK(made.nanoseconds_of(each) == 0);
    }
    made.add(costing(step_kind::move, 5));
    made.add(costing(step_kind::evict, 7));
    made.add(costing(step_kind::move, 11));
    CHECK(made.has(step_kind::move));
    CHECK(made.has(step_kind::evict));
    CHECK_FALSE(made.has(step_kind::wait));
    CHECK(made.nanoseconds_of(step_kind::move) == 16);
    CHECK(made.nanoseconds_of(step_kind::evict) == 7);
    CHECK(made.nanoseconds_of(step_kind::wait) == 0);
    made.add(costing(step_kind::move, most - 10));
    CHECK(made.nanoseconds_of(step_kind::move) == most);
    CHECK(made.nanoseconds_of(step_kind::evict) == 7);
    made.add(costing(step_kind::wait, 0));
    CHECK(made.has(step_kind::wait));  // also where it costs nothing
}

}  // namespace hbm::test::plan_tests
