// Which inputs outputs take over: partners, vetoes, references from outside, and what a training step gains.
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <support/managers.hpp>
#include <vector>

namespace hbm::test::donation_tests {

namespace {

constexpr std::uint64_t q = 512;
constexpr memory_spec of(std::uint64_t quanta) {
    return {.name = "small", .capacity = quanta * q};
}
using donating = manager<best_fit, never_evict, donate_same_size>;

}  // namespace

TEST_CASE("an output takes its partner over, and nobody else does") {
    donating memory{of(64)};
    const auto step = memory.load({.name = "step", .code = q});
    const auto a = memory.allocate(2 * q);
    const auto b = memory.allocate(2 * q);
    const extent first = memory.where(*a);
    const extent second = memory.where(*b);
    const auto ran = memory.run(
        *step, {.donated = {*a, *b}, .outputs = {2 * q, {2 * q, tag::none, aliasing::must, 0}, {2 * q, tag::none}}});
    REQUIRE(ran);
    CHECK(ran->donors[0] == 1);  // the first that is nobody's partner
    CHECK(ran->donors[1] == 0);
    CHECK(ran->donors[2] == no_index);
    CHECK(memory.where(ran->outputs[0]) == second);
    CHECK(memory.where(ran->outputs[1]) == first);
}

TEST_CASE("who may take its partner over is allocated if it cannot; who must is refused, and nothing is done") {
    donating memory{of(64)};
    const auto step = memory.load({.name = "step", .code = q});
    const auto a = memory.allocate(2 * q);
    const auto b = memory.allocate(3 * q);
    const auto before = memory;
    const output other_size{2 * q, tag::none, aliasing::must, 1};
    const auto wrong = memory.run(*step, {.inputs = {}, .donated = {*a, *b}, .outputs = {q, other_size}});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().reason == error::alias_of_other_size);
    CHECK(wrong.error().argument == 1);
    CHECK(wrong.error().first_use == 1);
    const output must{2 * q, tag::none, aliasing::must, 0};
    const auto vetoed = memory.run(*step, {.inputs = {*b}, .donated = {*a}, .outputs = {must}, .kept = {0}});
    CHECK(vetoed.error().reason == error::alias_not_donated);
    CHECK(vetoed.error().first_use == 1);
    const auto twice = memory.run(*step, {.donated = {*a}, .outputs = {must, must}});
    CHECK(twice.error().reason == error::alias_twice);
    CHECK(twice.error().argument == 1);
    CHECK(twice.error().first_use == 0);
    const output beyond{2 * q, tag::none, aliasing::may, 2};
    CHECK(memory.run(*step, {.donated = {*a, *b}, .outputs = {beyond}}).error().reason == error::bad_argument);
    CHECK(memory == before);

    const output may{2 * q, tag::none, aliasing::may, 1};
    const auto ran = memory.run(*step, {.donated = {*a, *b}, .outputs = {may}});
    REQUIRE(ran);
    CHECK(ran->donated == 0);
    CHECK(memory.live_bytes() == 3 * q);  // the code and the output

    manager<best_fit> never{of(64)};
    const auto same = never.load({.name = "step", .code = q});
    const auto donor = never.allocate(2 * q);
    CHECK(never.run(*same, {.donated = {*donor}, .outputs = {must}}).error().reason == error::alias_never_taken);
    CHECK(never.run(*same, {.donated = {*donor}, .outputs = {{2 * q, tag::none, aliasing::may, 0}}})->donated == 0);
}

TEST_CASE("lists are made of arrays too") {
    donating memory{of(64)};
    const auto step = memory.load({.name = "step", .code = q});
    buffer inputs[] = {*memory.allocate(q), *memory.allocate(q)};  // not const
    const buffer donated[] = {*memory.allocate(2 * q), *memory.allocate(3 * q)};
    output outputs[] = {3 * q, {2 * q, tag::none, aliasing::must, 0}};
    const std::uint32_t kept[] = {1};
    run_spec spec;
    spec.inputs = inputs;
    spec.donated = donated;
    spec.outputs = outputs;
    spec.kept = kept;
    CHECK(spec.outputs.size() == 2);
    CHECK(spec.outputs.begin() == outputs);
    const auto ran = memory.run(*step, spec);
    REQUIRE(ran);
    CHECK(ran->donated == 1);
    CHECK(memory.check(donated[1]) == error::none);
    const buffer next[] = {ran->outputs[1], ran->outputs[0]};
    const auto again = memory.run(*step, {.inputs = inputs, .donated = next, .outputs = outputs});
    REQUIRE(again);
    CHECK(again->donated == 2);
    // Braces are a list of what is in them, as ever.
    CHECK(memory.run(*step, {.inputs = {inputs[0]}, .outputs = {q, q}})->outputs.size() == 2);
}

TEST_CASE("in steady state a training step allocates nothing for what it donates, and keeps its addresses") {
    const std::vector<std::uint64_t> sizes{9 * q, 40 * q, 40 * q, 7 * q, 100 * q, q, q, 64 * q};
    const auto train = [&](auto memory) {
        const auto step = memory.load({.name = "train_step", .code = 3 * q});
        std::vector<buffer> state;
        std::vector<output> outputs;
        std::vector<extent> places;
        for (const std::uint64_t size : sizes) {
            state.push_back(*memory.allocate(size));
            outputs.push_back({size, tag::none});
            places.push_back(memory.where(state.back()));
        }
        const std::uint64_t peak = memory.peak_live_bytes();
        bool same_places = true;
        for (int at = 0; at < 50; ++at) {
            const auto batch = memory.allocate(20 * q);
            const auto ran = memory.run(*step, {.inputs = {*batch}, .donated = state, .outputs = outputs});
            REQUIRE(ran);
            state.assign(ran->outputs.begin(), ran->outputs.end());
            for (std::size_t i = 0; i < state.size(); ++i)
                same_places = same_places && memory.where(state[i]) == places[i];
            CHECK(memory.free(*batch));
        }
        CHECK(memory.done_so_far().donations_offered == 50 * sizes.size());
        struct {
            std::uint64_t taken, more;
            bool same_places;
        } found{memory.done_so_far().donations_taken, memory.peak_live_bytes() - peak, same_places};
        return found;
    };
    std::uint64_t whole = 0;
    for (const std::uint64_t size : sizes) whole += size;
    const auto with = train(manager<best_fit, never_evict, donate_same_size>{of(1024)});
    CHECK(with.taken == 50 * sizes.size());  // every legal donation
    CHECK(with.more == 20 * q);              // the batch
    CHECK(with.same_places);
    const auto without = train(manager<best_fit>{of(1024)});
    CHECK(without.taken == 0);
    CHECK(without.more == 20 * q + whole);  // a second copy of the state
}

}  // namespace hbm::test::donation_tests
