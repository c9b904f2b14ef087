#include <hbm/manager/arguments.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "testing/stand.hpp"

namespace hbm::test::arguments_tests {

namespace {

using map32 = block_map<std::uint32_t>;
constexpr std::uint32_t salt = 7;

/// Six buffers, the code of a program, and a buffer that is gone.
struct some_memory {
    map32 map{16};
    std::vector<buffer> good;
    buffer code;
    std::vector<buffer> stale;
    buffer foreign;

    some_memory() {
        for (int count = 0; count < 6; ++count) good.push_back(stand());
        code = stand();
        map.set_owner(code.index, block_kind::code, 0);
        const buffer freed = stand();
        leave(map, freed.index);
        stale = {freed, {}, {good[5].index, good[5].generation + 4, salt}, {1000, 1, salt}, {map32::bottom, 0, salt}};
        foreign = good[0];
        foreign.salt = salt + 1;
    }
    buffer stand() {
        const block_index block = hbm::test::stand(map, map.last(), 0u, 1u);
        return {block, map.generation(block), salt};
    }
};

/// What a check says, with the memory as it was.
failure refusal(some_memory& memory, const run_spec& spec) {
    const map32 before = memory.map;
    failure why;
    trivial_vector<std::uint64_t> offered;
    const bool good = check_arguments(memory.map, salt, spec, true, offered, why);
    CHECK(good == (why.reason == error::none));
    if (good) {
        REQUIRE(offered.size() == spec.donated.size());
        for (std::uint32_t at = 0; at < offered.size(); ++at) {
            const bool kept = std::find(spec.kept.begin(), spec.kept.end(), at) != spec.kept.end();
            CHECK(offered[at] == (kept ? 0 : memory.map.granted(spec.donated[at].index)));
        }
    }
    CHECK(memory.map == before);  // marks included
    return why;
}
}  // namespace

TEST_CASE("arguments: inputs named twice, a pinned one that is kept and one in flight are good") {
    some_memory memory;
    const std::vector<buffer>& good = memory.good;
    memory.map.pin(good[3].index);
    memory.map.hold(good[4].index);  // a run in flight
    CHECK(refusal(memory, {}) == failure{});
    CHECK(refusal(memory, {.inputs = {good[0], good[3], good[0]},
                           .donated = {good[1], good[2], good[4]},
                           .outputs = {1, {1, tag::none, aliasing::must, 2}, {1, tag::none, aliasing::may, 2}},
                           .kept = {2, 0}}) == failure{});
    CHECK(refusal(memory, {.donated = {good[1], good[3]}, .kept = {1}}) == failure{});
    CHECK(refusal(memory, {.outputs = {{1, tag::none, aliasing::any, 9}}}) == failure{});  // 9 is nobody's partner
}

namespace {

/// All that is wrong with a run, by looking at each pair of arguments.
std::vector<failure> all_faults(const some_memory& memory, const run_spec& spec) {
    std::vector<failure> found;
    const auto inputs = static_cast<std::uint32_t>(spec.inputs.size());
    const auto donated = static_cast<std::uint32_t>(spec.donated.size());
    const auto add = [&](error reason, std::uint32_t argument, std::uint32_t first_use = no_index) {
        found.push_back({.reason = reason, .argument = argument, .first_use = first_use});
    };
    const auto check = [&](buffer held, std::uint32_t argument) {
        if (held == memory.foreign) add(error::foreign_handle, argument);
        if (held == memory.code) add(error::wrong_kind, argument);
        if (std::find(memory.stale.begin(), memory.stale.end(), held) != memory.stale.end())
            add(error::stale_handle, argument);
    };
    for (std::uint32_t at = 0; at < inputs; ++at) check(spec.inputs[at], at);
    for (std::uint32_t at = 0; at < donated; ++at) {
        const buffer donor = spec.donated[at];
        check(donor, inputs + at);
        const auto first = static_cast<std::uint32_t>(std::find(spec.donated.begin(), spec.donated.end(), donor) -
                                                      spec.donated.begin());
        if (first != at) {
            add(error::donated_twice, inputs + at, inputs + first);
            continue;
        }
        for (std::uint32_t use = 0; use < inputs; ++use)
            if (spec.inputs[use] == donor) add(error::donated_and_used, inputs + at, use);
        const bool kept = std::find(spec.kept.begin(), spec.kept.end(), at) != spec.kept.end();
        const bool good = std::find(memory.good.begin(), memory.good.end(), donor) != memory.good.end();
        if (good && !kept && memory.map.pins(donor.index) != 0) add(error::donor_is_referenced, inputs + at);
    }
    for (std::size_t at = 0; at < spec.kept.size(); ++at) {
        const std::uint32_t kept = spec.kept[at];
        if (kept >= donated) add(error::bad_argument, no_index, kept);
        if (std::find(spec.kept.begin(), spec.kept.begin() + at, kept) != spec.kept.begin() + at)
            add(error::kept_twice, inputs + kept);
    }
    for (std::uint32_t at = 0; at < spec.outputs.size(); ++at)
        if (spec.outputs[at].alias != aliasing::any && spec.outputs[at].partner >= donated)
            add(error::bad_argument, at, spec.outputs[at].partner);
    return found;
}

}  // namespace

TEST_CASE("arguments: random ones are refused exactly if something is wrong, for one of the reasons there are") {
    testing::random_numbers random(1);
    some_memory memory;
    memory.map.pin(memory.good[4].index);
    std::vector<buffer> any = memory.good;
    any.insert(any.end(), memory.stale.begin(), memory.stale.end());
    any.insert(any.end(), {memory.code, memory.foreign});
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        CAPTURE(round);
        const std::uint64_t kinds = random.once_in(4) ? any.size() : memory.good.size();
        std::vector<buffer> inputs(random.below(4));
        std::vector<buffer> donated(random.below(4));
        std::vector<output> outputs(random.below(3));
        std::vector<std::uint32_t> kept(random.below(3));
        for (buffer& each : inputs) each = any[random.below(kinds)];
        for (buffer& each : donated) each = any[random.below(kinds)];
        for (std::uint32_t& each : kept) each = static_cast<std::uint32_t>(random.below(donated.size() + 1));
        for (output& each : outputs) {
            each.alias = static_cast<aliasing>(random.below(3));
            each.partner = static_cast<std::uint32_t>(random.below(donated.size() + 1));
        }
        const run_spec spec{.inputs = inputs, .donated = donated, .outputs = outputs, .kept = kept};
        const std::vector<failure> wrong = all_faults(memory, spec);
        const failure said = refusal(memory, spec);
        if (wrong.empty()) {
            REQUIRE(said == failure{});
            continue;
        }
        ++refused;
        REQUIRE(std::find(wrong.begin(), wrong.end(), said) != wrong.end());
    }
    CHECK(refused > 1000);
    CHECK(refused < 3500);
}

}  // namespace hbm::test::arguments_tests
