// What fits is known before anything is loaded: tried, and compared with trying everything.
#include <hbm/explain/preflight.hpp>
#include <hbm/hbm.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::preflight_tests {
namespace {

using namespace hbm::literals;

constexpr std::uint64_t q = 512;
using tpu_memory = manager<bottom_reserve<compacting<best_fit>>, evict_cheapest_window, donate_same_size>;

// As a user would write it: the build fails when the model no longer fits.
constexpr program_spec my_step{.name = "train_step", .code = 180_MiB, .scratch = 3_GiB};
static_assert(fits<tpu_memory>(tpu::v5e, my_step));
static_assert(!fits<tpu_memory>(tpu::v5e, {.name = "larger", .code = 180_MiB, .scratch = 15.6_GiB}));
static_assert(fits<tpu_memory>(tpu::v5e, my_step, {{"weights", 6_GiB, 2}}));
static_assert(!fits<tpu_memory>(tpu::v5e, my_step, {{"weights", 6_GiB, 2}, {"inputs", 600_MiB}}));
static_assert(fits<tpu_memory>(tpu::v5e, start_spec{.programs = {my_step, my_step}, .buffers = {{"weights", 12_GiB}}}));

constexpr memory_spec of(std::uint64_t quanta) {
    return {.name = "small", .capacity = quanta * q};
}
static_assert(largest_cache<manager<best_fit>>(of(10), {.programs = {{.code = 3 * q, .scratch = q}}}, 2) == 3 * q);
static_assert(max_caches<manager<best_fit>>(of(10), {.programs = {{.code = 3 * q, .scratch = q}}}, 4 * q) == 1);

TEST_CASE("tpu-inference#3408: the programs do not fit after the caches were sized, and it is said before") {
    // From the report: gemma-4 on 7x with gpu_memory_utilization=0.98, by which buffers fill 92.9 of 94.7 GiB; some 6
    // GiB of programs follow, of which one asks for 1.13G and finds 528.72M. With 0.95 it fails as well, later; with
    // 0.90 it starts. How the buffers and programs are divided is ours.
    const std::uint64_t forward = 1.13_GiB;
    const std::uint64_t encode = 140_MiB;
    const std::uint64_t weights = 6_GiB;
    const std::vector<program_spec> programs{
        {.name = "jit_encode", .code = encode},    {.name = "jit__forward", .code = forward},
        {.name = "jit__forward", .code = forward}, {.name = "jit_encode", .code = encode},
        {.name = "jit__forward", .code = forward}, {.name = "jit_encode", .code = encode},
        {.name = "jit__forward", .code = forward}, {.name = "jit_encode", .code = encode},
        {.name = "jit__forward", .code = forward}};
    const std::vector<buffer_spec> buffers{{"weights", weights}};
    const start_spec start{.programs = programs, .buffers = buffers};
    const auto granted = [](std::uint64_t bytes) { return (bytes + q - 1) / q * q; };
    const std::uint64_t of_programs = 5 * granted(forward) + 4 * granted(encode);
    const std::uint64_t left_at_failure = 554'406'912;  // 528.72M
    const buffer_spec cache{"kv cache",
                            tpu::v7x.capacity - weights - granted(encode) - granted(forward) - left_at_failure};
    CHECK((weights + cache.bytes) / 1_MiB == 95'146);  // 92.92 GiB

    const auto answer = [&](auto kind) {
        using memory_type = decltype(kind);
        const preflight_report found = preflight<memory_type>(tpu::v7x, start, cache);
        CHECK_FALSE(found.start.fits());
        CHECK(found.start.is_program);
        CHECK(found.start.index == 2);
        CHECK(found.start.buffers == 2);
        CHECK(found.programs == 2);
        CHECK(found.largest_cache == tpu::v7x.capacity - weights - of_programs);
        CHECK(found.max_caches == 0);
        CHECK(found.start.why.reason == error::code_does_not_fit);
        CHECK(message(found.start.why, programs[found.start.index].name) ==
              "RESOURCE_EXHAUSTED: Error loading program 'jit__forward': Attempting to allocate 1.13G. That was not "
              "possible. There are 528.72M free.");
        return found;
    };
    const preflight_report firm = answer(manager<bottom_reserve<compacting<best_fit>>>{});
    CHECK_FALSE(firm.start.by_eviction);
    CHECK(in_words(firm, start, cache) ==
          "Program 'jit__forward' (number 3 of the programs) will not fit: RESOURCE_EXHAUSTED: Error loading program "
          "'jit__forward': Attempting to allocate 1.13G. That was not possible. There are 528.72M free.\n"
          "Beside all buffers fit 2 of 9 programs, counted from the first.\n"
          "All of it fits with no more than 1 cache of 82.50G.");
    // A runtime that evicts would start, and reload from then on.
    CHECK(answer(tpu_memory{}).start.by_eviction);

    // The answer holds when it is done for real, and a quantum more does not.
    for (const std::uint64_t more : {std::uint64_t{0}, q}) {
        tpu_memory memory{tpu::v7x};
        REQUIRE(memory.allocate(weights));
        REQUIRE(memory.allocate(firm.largest_cache + more));
        for (const program_spec& program : programs) REQUIRE(memory.load(program));
        CHECK((memory.done_so_far().evictions == 0) == (more == 0));
    }
    // In terms of the knob that was turned: too much at 0.95, fine at 0.90, as found by trying for half an hour each.
    const auto cache_at = [&](std::uint64_t percent) { return tpu::v7x.capacity / 100 * percent - weights; };
    CHECK(cache_at(95) > firm.largest_cache);
    CHECK(cache_at(90) <= firm.largest_cache);
    CHECK((weights + firm.largest_cache) * 100 / tpu::v7x.capacity == 93);
    CHECK(preflight<tpu_memory>(tpu::v7x, start, {"kv cache", cache_at(90)}).start.fits());
    CHECK_FALSE(preflight<tpu_memory>(tpu::v7x, start, {"kv cache", cache_at(95)}).start.fits());
}

TEST_CASE("many caches of one size") {
    const std::vector<program_spec> programs{{.name = "step", .code = 10 * q, .scratch = 10 * q}};
    const std::vector<buffer_spec> buffers{{"weights", 20 * q}};
    const start_spec start{programs, buffers};
    const preflight_report found = preflight<tpu_memory>(of(100), start, {"layer", 5 * q, 10});
    CHECK(found.start.fits());
    CHECK(found.programs == 1);
    CHECK(found.largest_cache == 6 * q);
    CHECK(found.max_caches == 12);
    CHECK(
        in_words(found, start, {"layer", 5 * q, 10}) ==
        "All of it fits: 11 buffers and 1 program, with 10 caches of 2.5K each, 25.0K together.\n"
        "All of it fits with as much as 10 caches of 3.0K each, 30.0K together; or with up to 12 caches of 2.5K each, "
        "30.0K together.");
    const preflight_report none = preflight<tpu_memory>(of(35), start, {"layer", 5 * q, 10});
    CHECK(none.largest_cache == 0);
    CHECK(none.max_caches == 0);
    CHECK(none.start.index == 1);
    CHECK(none.start.buffers == 4);
    CHECK(in_words(none, start, {"layer", 5 * q, 10}) ==
          "Cache 'layer' (number 5 of the buffers) will not fit: RESOURCE_EXHAUSTED: Error allocating device buffer: "
          "Attempting to allocate 2.5K. That was not possible. There are 0B free.; (0x0x0_HBM0)\n"
          "The buffers alone do not fit, so that no program was tried beside them.\n"
          "With no size of these caches does all of it fit.");
}

TEST_CASE("small caches are counted up to a limit, and what was not asked for costs nothing") {
    using runtime = tpu::runtime_memory;
    const buffer_spec small{.name = "kv", .bytes = 4096, .count = 16};
    const preflight_report found = preflight<runtime>(tpu::v5e, {}, small);
    CHECK(found.start.fits());
    CHECK(found.largest_cache == 1008_MiB);
    CHECK(found.max_caches == max_buffers_tried);
    CHECK(found.maybe_more_caches);
    CHECK(in_words(found, {}, small) ==
          "All of it fits: 16 buffers and 0 programs, with 16 caches of 4.0K each, 64.0K together.\n"
          "All of it fits with as much as 16 caches of 1008.00M each, 15.75G together; or with 65536 caches of 4.0K "
          "each, 256.00M together, and more that were not tried.");
    CHECK(preflight<runtime>(tpu::v5e, {}, {.bytes = 512}).maybe_more_caches);
    const preflight_report nothing = preflight<runtime>(tpu::v5e, {}, {});
    CHECK(nothing.start.fits());
    CHECK(in_words(nothing, {}, {}) == "All of it fits: 1 buffer and 0 programs, with 1 cache of 0B.\n"
                                       "All of it fits with as much as 1 cache of 15.75G.");
    // As many as are tried, and exactly one more, of memory and of caches.
    CHECK(max_caches<tpu_memory>(of(max_buffers_tried), {}, q) == max_buffers_tried);
    CHECK_FALSE(preflight<tpu_memory>(of(max_buffers_tried - 1), {}, {.bytes = q}).maybe_more_caches);
    const buffer_spec more{.bytes = q, .count = max_buffers_tried + 1};
    const preflight_report all = preflight<tpu_memory>(of(max_buffers_tried + 1), {}, more);
    CHECK(all.start.fits());
    CHECK(all.max_caches == more.count);
    const preflight_report too_many = preflight<tpu_memory>(of(max_buffers_tried), {}, more);
    CHECK(too_many.start.together);
    CHECK(too_many.start.buffers == 0);
    CHECK(too_many.start.why.requested == more.count * q);
    CHECK(too_many.start.why.free == max_buffers_tried * q);
    CHECK(too_many.largest_cache == 0);

    const buffer_spec hostile{.name = "kv", .bytes = 512, .count = ~std::uint64_t{0}};
    CHECK_FALSE(fits<runtime>(tpu::v5e, {.buffers = {hostile}}));
    CHECK(in_words(preflight<runtime>(tpu::v5e, {}, hostile), {}, hostile) ==
          "Caches 'kv' (all 18446744073709551615 together) will not fit: RESOURCE_EXHAUSTED: Error allocating device "
          "buffer: Attempting to allocate 16.00E. That was not possible. There are 15.75G free.; (0x0x0_HBM0)\n"
          "The buffers alone do not fit.\n"
          "With no size of these caches does all of it fit.");
}

TEST_CASE("null is no name, and what cannot be said of programs is not said") {
    const program_spec programs[] = {{.name = nullptr, .code = 4 * q}, {.name = nullptr, .code = 40 * q}};
    const buffer_spec buffers[] = {{nullptr, 20 * q}};
    const auto words = [&](const buffer_spec& caches, start_order order = start_order::buffers_first) {
        const start_spec start{.programs = programs, .buffers = buffers, .order = order};
        const std::string text = in_words(preflight<tpu_memory>(of(50), start, caches), start, caches);
        return text.substr(0, text.find(" will not fit")) + text.substr(text.find('\n'));
    };
    CHECK(words({nullptr, q}) == "Program '' (number 2 of the programs)\n"
                                 "Beside all buffers fit 1 of 2 programs, counted from the first.\n"
                                 "With no size of these caches does all of it fit.");
    CHECK(words({nullptr, 29 * q}) == "Program '' (number 1 of the programs)\n"
                                      "Beside all buffers fits no program.\n"
                                      "With no size of these caches does all of it fit.");
    CHECK(words({nullptr, 31 * q}) == "Cache '' (number 2 of the buffers)\n"
                                      "The buffers alone do not fit, so that no program was tried beside them.\n"
                                      "With no size of these caches does all of it fit.");
    CHECK(words({nullptr, 26 * q}, start_order::programs_first)
              .find("Buffer '' (number 1 of the buffers)\n"
                    "Beside all buffers fit 1 of 2 programs") == 0);
    const start_spec none{.buffers = buffers};
    const buffer_spec large{nullptr, 31 * q};
    CHECK(in_words(preflight<tpu_memory>(of(50), none, large), none, large).find("0 of 0") == std::string::npos);
}

TEST_CASE("hostile sizes have answers") {
    const std::uint64_t most = ~std::uint64_t{0};
    CHECK_FALSE(fits<tpu_memory>(of(10), {.code = most}));
    CHECK_FALSE(fits<tpu_memory>(of(10), {.scratch = most}));
    CHECK_FALSE(fits<tpu_memory>(of(10), {.code = q}, {{"b", most}}));
    CHECK_FALSE(fits<tpu_memory>(of(10), {.code = q}, {{"b", 0, most}}));
    CHECK(fits<tpu_memory>(of(10), start_spec{}));
    CHECK(fits<tpu_memory>({}, start_spec{}));
    CHECK_FALSE(fits<tpu_memory>({}, {.code = 0}));
    CHECK(largest_cache<tpu_memory>({}, {}) == 0);
    CHECK(largest_cache<tpu_memory>(of(10), {}, 0) == 0);
    CHECK(largest_cache<tpu_memory>(of(10), {}, 11) == 0);
    CHECK(largest_cache<tpu_memory>(of(10), {}, most) == 0);
    CHECK(largest_cache<tpu_memory>(of(10), {}) == 10 * q);
    CHECK(largest_cache<tpu_memory>({.capacity = 10 * q, .quantum = 0}, {}) == 0);
    CHECK(largest_cache<tpu_memory>({.capacity = most}, {}) == 0);  // more than can be counted
    CHECK(max_caches<tpu_memory>(of(10), {}, 0) == 10);
    CHECK(max_caches<tpu_memory>(of(10), {}, most) == 0);
    CHECK(largest_cache<tpu_memory>(of(10), {.buffers = {{"b", 11 * q}}}) == 0);
}

// One start after the other on plain managers that never evict; no forks, no bisection.
template <class Manager>
bool plainly_fits(const memory_spec& spec, const start_spec& start, std::uint64_t bytes, std::uint64_t count) {
    Manager memory{spec};
    const auto load = [&] {
        for (const program_spec& program : start.programs)
            if (!memory.load(program)) return false;
        return true;
    };
    const auto allocate = [&] {
        for (const buffer_spec& wanted : start.buffers)
            for (std::uint64_t i = 0; i < wanted.count; ++i)
                if (!memory.allocate(wanted.bytes)) return false;
        for (std::uint64_t i = 0; i < count; ++i)
            if (!memory.allocate(bytes)) return false;
        return true;
    };
    const bool fits = start.order == start_order::buffers_first ? allocate() && load() : load() && allocate();
    return fits && memory.done_so_far().evictions == 0;
}

enum class growth { simple, ragged };

template <class Manager>
void expect_the_largest(growth expected = growth::simple) {
    int fitting = 0;
    for (std::uint64_t seed = 1; seed <= seeds_to_try(150); ++seed) {
        CAPTURE(seed);
        testing::random_numbers random(seed);
        const memory_spec spec = of(10 + random.below(50));
        std::vector<program_spec> programs(random.below(4));
        for (program_spec& program : programs) program = {.code = random.below(8 * q), .scratch = random.below(8 * q)};
        std::vector<buffer_spec> buffers(random.below(3));
        for (buffer_spec& wanted : buffers) wanted = {"b", random.below(8 * q), random.below(3)};
        const start_spec start{programs, buffers,
                               random.once_in(2) ? start_order::buffers_first : start_order::programs_first};
        const std::uint64_t count = 1 + random.below(4);
        const buffer_spec caches{"c", random.below(8 * q), count};

        // By trying every size; as a rule what is smaller than what fits does so as well.
        std::uint64_t largest = 0;
        for (std::uint64_t size = q; size <= spec.capacity; size += q)
            if (plainly_fits<Manager>(spec, start, size, count)) largest = size;
        std::uint64_t most = 0;
        for (std::uint64_t tried = 1; tried <= 70; ++tried)
            if (plainly_fits<Manager>(spec, start, caches.bytes, tried)) most = tried;
        const preflight_report found = preflight<Manager>(spec, start, caches);
        REQUIRE(found.start.fits() == plainly_fits<Manager>(spec, start, caches.bytes, count));
        if (expected == growth::simple) {
            REQUIRE(found.largest_cache == largest);
            REQUIRE(found.max_caches == most);
        } else {
            const std::uint64_t good = found.largest_cache;
            REQUIRE((good == 0 || plainly_fits<Manager>(spec, start, good, count)));
            REQUIRE_FALSE(plainly_fits<Manager>(spec, start, good + q, count));
            REQUIRE((found.max_caches == 0 || plainly_fits<Manager>(spec, start, caches.bytes, found.max_caches)));
            REQUIRE_FALSE(plainly_fits<Manager>(spec, start, caches.bytes, found.max_caches + 1));
        }
        REQUIRE(fits<Manager>(spec, start) == plainly_fits<Manager>(spec, start, 0, 0));
        std::uint32_t beside = 0;
        for (std::uint32_t first = 1; first <= programs.size(); ++first)
            if (plainly_fits<Manager>(spec, {{programs.data(), first}, buffers, start.order}, caches.bytes, count))
                beside = first;
        REQUIRE(found.programs == beside);
        REQUIRE(!in_words(found, start, caches).empty());
        fitting += found.start.fits();
        if (found.start.fits()) continue;
        // The message is that of a manager that cannot evict.
        REQUIRE(found.start.why.reason != error::none);
        REQUIRE(found.start.why.requested != 0);
    }
    CHECK(fitting > 0);
}

TEST_CASE("the answers are those of trying everything") {
    expect_the_largest<manager<best_fit>>();
    expect_the_largest<manager<good_fit, evict_lru>>();
    expect_the_largest<manager<first_fit, evict_greedy_dual, never_donate, evict_first>>();
    expect_the_largest<manager<buddy>>();
    expect_the_largest<manager<compacting<buddy>, evict_lru>>();
    expect_the_largest<manager<bottom_reserve<best_fit, scratch_sharing::per_program>, evict_lru>>();
    // Evicts where moving would do, depending on how the powers of two happen to lie.
    expect_the_largest<manager<bottom_reserve<compacting<buddy>>, evict_lru, never_donate, evict_first>>(
        growth::ragged);
    expect_the_largest<tpu_memory>();
}

}  // namespace
}  // namespace hbm::test::preflight_tests
