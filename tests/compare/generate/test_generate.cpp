#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <testing/seeds.hpp>
#include <vector>

#include "compare/generate/generate.hpp"
#include "compare/generate/random_source.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/trace_helpers.hpp"
#include "generated.hpp"

namespace hbm::test::generate_tests {

using namespace hbm::trace;

TEST_SUITE("trace generate") {
    TEST_CASE("logarithms and powers in fixed point") {
        static_assert(fixed_log2(1) == 0);
        static_assert(fixed_log2(2) == fixed_one);
        static_assert(fixed_log2(std::uint64_t{1} << 63U) == 63 * fixed_one);
        static_assert(fixed_log2(~std::uint64_t{0}) / fixed_one == 63);
        static_assert(fixed_log2(3) == 103872);     // 1.5849625 * 65536, rounded down
        static_assert(fixed_log2(1000) == 653117);  // 9.9657843 * 65536
        static_assert(fixed_exp2(0) == 1);
        static_assert(fixed_exp2(10 * fixed_one) == 1024);
        static_assert(fixed_exp2(63 * fixed_one) == std::uint64_t{1} << 63U);
        static_assert(fixed_exp2(20 * fixed_one + fixed_one / 2) == 1482910);  // 2^20.5
        for (std::uint64_t value = 1; value < 100000; value += 7) {
            const std::uint64_t back = fixed_exp2(fixed_log2(value));
            REQUIRE(back <= value);
            REQUIRE(value - back <= 1 + value / 30000);
        }
    }

    TEST_CASE("random numbers are those of splitmix64") {
        // The first numbers of the seed 1234567, as its authors' reference code gives them.
        random_source random(1234567);
        CHECK(random.next() == 6457827717110365317U);
        CHECK(random.next() == 3203168211198807973U);
        CHECK(random.next() == 9817491932198370423U);
    }

    TEST_CASE("draws stay in their range and reach its ends") {
        random_source random(5);
        for (const std::uint64_t count : {1U, 2U, 3U, 7U, 8U, 9U}) {
            std::uint64_t seen = 0;
            for (int draw = 0; draw < 500; ++draw) seen |= std::uint64_t{1} << random.below(count);
            CHECK(seen == (std::uint64_t{1} << count) - 1);
        }
        CHECK(random.below(0) == 0);
        CHECK(random.between(9, 3) == 9);
        CHECK_FALSE(random.one_in(0));
        CHECK(random.one_in(1));
        for (int draw = 0; draw < 1000; ++draw) {
            const std::uint64_t size = random.log_uniform(512, 64 * mib);
            REQUIRE(size >= 512);
            REQUIRE(size <= 64 * mib);
            REQUIRE(random.log_uniform(1, ~std::uint64_t{0}) >= 1);
            REQUIRE(random.skewed_below(10) < 10);
        }
        std::uint64_t sum = 0;
        std::uint64_t small = 0;
        for (int draw = 0; draw < 20000; ++draw) {
            sum += random.exponential(1000);
            small += random.log_uniform(1024, 1024 * 1024) < 32 * 1024 ? 1U : 0U;
        }
        CHECK(sum / 20000 > 970);
        CHECK(sum / 20000 < 1030);
        CHECK(small > 9700);  // half of the octaves
        CHECK(small < 10300);
    }

    TEST_CASE("sizes with units") {
        const auto size = [](std::string_view text) {
            std::uint64_t value = 0;
            return parse_size(text, value) ? value : unspecified;
        };
        CHECK(size("0") == 0);
        CHECK(size("512") == 512);
        CHECK(size("4K") == 4096);
        CHECK(size("2MiB") == 2097152);
        CHECK(size("1.5G") == 1610612736);
        CHECK(size("16GB") == 17179869184);
        CHECK(size("16G") == size("16GiB"));
        CHECK(size("15.75GB") == size("15.75G"));
        CHECK(size("4KB") == 4096);
        CHECK(size("29.49G") == 31664646389);
        CHECK(size("16777215T") == 18446742974197923840U);
        for (const char* const bad :
             {"",     "K",   "iB",  "B",  "KB", "1iB", "1GiiB", "1GBB",       "1BG",       "1.5B",
              "1.5",  "1.K", ".5K", "-1", "1k", "1B",  "1 K",   "1.1234567K", "16777216T", "18446744073709551616",
              "1.+5K"}) {
            CAPTURE(bad);
            CHECK(size(bad) == unspecified);
        }
        CHECK(binary_size(0) == "0");
        CHECK(binary_size(512) == "512");
        CHECK(binary_size(3 * mib) == "3MiB");
        CHECK(binary_size(1536 * mib) == "1536MiB");
    }

    TEST_CASE("generate: other names and values are errors") {
        for (const char* const spec : {"", "xyz", "slow_leak:leak=5,", "slow_leak:leak=x", "uniform_churn:smallest=0"})
            CHECK_MESSAGE(!error_of(spec).empty(), spec);
    }

    TEST_CASE("every generator is valid with every seed") {
        for (const generator& each : generators()) {
            CAPTURE(each.name);
            for (std::uint64_t seed = 0; seed < hbm::test::seeds_to_try(8); ++seed) {
                const workload made = generate_right(each.name, seed);
                CHECK(made.rows.size() >= 5000);
                CHECK(made.rows.size() <= 40000);
                CHECK(made.times.size() == made.rows.size());
                CHECK(made.name == each.name);
                CHECK(made.has_programs() == !each.device.empty());
                CHECK(made.tags.size() > 1);
            }
            CHECK(generate_right(each.name, 3).rows == generate_right(each.name, 3).rows);
            CHECK(generate_right(each.name, 3).times != generate_right(each.name, 4).times);
        }
    }

    TEST_CASE("every generator is valid at the corners of its parameters") {
        // What multiplies rows is kept short, so that the corners of the rest can be reached.
        const auto brief = [](std::string_view name) -> std::string {
            if (name == "transformer_training") return "steps=2,eval_every=1";
            if (name == "llm_serving") return "requests=9,output=4";
            if (name == "embedding_pipeline") return "steps=2";
            if (name == "sharded_training") return "steps=2";
            if (name == "checkpoint_restart") return "steps=7,save_every=2,restart_every=3";
            if (name == "slow_leak") return "steps=5";
            return "operations=50";
        };
        for (const generator& each : generators()) {
            for (const parameter& its : each.parameters) {
                const std::string key = std::string{its.key} + "=";
                std::string spec = std::string{each.name} + ":" + brief(each.name);
                if (spec.find(":" + key) != std::string::npos || spec.find("," + key) != std::string::npos) continue;
                for (const std::uint64_t value : {its.min_value, its.min_value + 1, its.max_value}) {
                    if (value == its.min_value + 1 && !hbm::test::tries_all_seeds()) continue;
                    CAPTURE(each.name);
                    CAPTURE(its.key);
                    CAPTURE(value);
                    CHECK(error_of(spec + "," + key + std::to_string(value)).empty());
                }
            }
        }
        for (const char* const spec :
             {"transformer_training:steps=0", "transformer_training:eval_every=0,steps=3", "llm_serving:requests=0",
              "transformer_training:remat=1,accumulate=3,donate=0,steps=3,fused=1", "embedding_pipeline:steps=0",
              "slow_leak:steps=0", "slow_leak:small=0,large=0", "uniform_churn:operations=0,live=1",
              "uniform_churn:smallest=5M,largest=4K", "llm_serving:kv=0", "llm_serving:output=4096,requests=3"}) {
            CAPTURE(spec);
            CHECK(error_of(spec).empty());
        }
    }

    TEST_CASE("training donates its whole state in every step") {
        const workload made = generate_right("transformer_training:layers=2,steps=3");
        const workload without = generate_right("transformer_training:layers=2,steps=3,donate=0");
        // Two layers of four parts and the embedding, each with weights and two moments, in three steps; and the
        // gradient by an activation, which each of two layers and the embedding takes over.
        const auto donated = [](const workload& of) {
            std::uint32_t count = 0;
            for (const trace::detail& each : of.details) count += each.donated.count;
            return count;
        };
        CHECK(donated(made) == 3 * (9 * 3 + 3));
        CHECK(donated(without) == 3 * 3);
        CHECK(buffers_of(made).end == buffers_of(without).end);
        // Fused, one run replaces what three replaced.
        const workload fused = generate_right("transformer_training:layers=2,steps=3,fused=1");
        CHECK(donated(fused) == donated(made));
        CHECK(made.rows.size() - fused.rows.size() == 3 * 2);
        CHECK(buffers_of(fused).end == buffers_of(made).end);
        // Rematerialisation trades memory for rows.
        const workload again = generate_right("transformer_training:layers=8,steps=3,remat=1");
        const workload stored = generate_right("transformer_training:layers=8,steps=3");
        CHECK(buffers_of(again).peak < buffers_of(stored).peak);
        CHECK(again.rows.size() > stored.rows.size());
    }

    TEST_CASE("training and serving are sized for a v5e") {
        const std::uint64_t usable = 16'911'433'728;  // 15.75 GiB
        for (std::uint64_t seed = 0; seed < hbm::test::seeds_to_try(4); ++seed) {
            const std::uint64_t training = buffers_of(generate_right("transformer_training", seed)).peak;
            CHECK(training < usable);
            CHECK(training > usable / 10 * 9);
            const std::uint64_t serving = buffers_of(generate_right("llm_serving", seed)).peak;
            CHECK(serving < usable);
            CHECK(serving > usable / 10 * 8);
            // These need room for a large program besides.
            for (const char* const name : {"sharded_training", "checkpoint_restart"}) {
                const std::uint64_t needed = min_bytes(generate_right(name, seed), 512);
                CHECK(needed < usable);
                CHECK(needed > usable / 10 * 8);
            }
        }
    }

    TEST_CASE("the embedding pipeline ends as reported: 29.49G asked, 147.64M free, nothing reserved") {
        for (std::uint64_t seed = 0; seed < hbm::test::seeds_to_try(4); ++seed) {
            const workload made = generate_right("embedding_pipeline", seed);
            const row& last = made.rows.back();
            const row& late = made.rows[made.rows.size() - 2];
            REQUIRE(last.what == op::run);
            REQUIRE(late.what == op::load);
            // In hundredths of binary units, rounded to the nearest.
            const std::uint64_t asked = made.details[late.detail].scratch;
            CHECK((asked * 100 + gib / 2) / gib == 2949);
            const std::uint64_t usable = 31'996 * mib;  // a v6e's
            const std::uint64_t left = usable - buffers_of(made).end;
            CHECK((left * 100 + mib / 2) / mib == 14764);
            CHECK(left % 512 == 0);
            CHECK(asked % 512 == 0);
            // Every other program is unloaded by then.
            int loaded = 0;
            for (const row& each : made.rows) {
                loaded += each.what == op::load ? 1 : each.what == op::unload ? -1 : 0;
            }
            CHECK(loaded == 1);
            const workload without = generate_right("embedding_pipeline:late=0", seed);
            CHECK(without.rows.size() == made.rows.size() - 2);
            CHECK(without.rows.back().what == op::alloc);
            // Written as a user would.
            CHECK(generate_right("embedding_pipeline:ask=29.49G,free=147.64M,capacity=31996MiB", seed).rows ==
                  made.rows);
        }
    }

    TEST_CASE("one in fifty small tensors leaks, and all that leaks has one tag") {
        const workload made = generate_right("slow_leak");
        std::vector<int> alive(made.ids.size());
        std::vector<std::uint32_t> tags(made.ids.size());
        for (const row& each : made.rows) {
            alive[each.subject] = each.what == op::alloc ? 1 : 0;
            if (each.what == op::alloc) tags[each.subject] = each.tag;
        }
        int metrics = 0;
        int others = 0;
        for (std::size_t at = 0; at < alive.size(); ++at) {
            if (alive[at] == 0) continue;
            ++(made.tags[tags[at]] == "metric" ? metrics : others);
        }
        // 9600 small tensors; besides those that leak, the last few steps have not died yet.
        CHECK(metrics > 150);
        CHECK(metrics < 260);
        CHECK(others < 60);
        CHECK(buffers_of(generate_right("slow_leak:leak=0")).end < buffers_of(made).peak);
    }
}

namespace {

// The most buffers at a time whose id begins with this word and a digit.
std::size_t most_live(const workload& made, std::string_view kind) {
    std::vector<bool> counts(made.ids.size());
    std::vector<bool> alive(made.ids.size());
    for (std::size_t at = 0; at < made.ids.size(); ++at) {
        const std::string_view name = made.ids[at];
        counts[at] = name.size() > kind.size() && name.starts_with(kind) &&
                     name.find_first_not_of("0123456789", kind.size()) == std::string::npos;
    }
    std::size_t live = 0;
    std::size_t most = 0;
    const auto set = [&](id which, bool now) {
        if (counts[which] && alive[which] != now) live = now ? live + 1 : live - 1;
        alive[which] = now;
        most = live > most ? live : most;
    };
    for (const row& each : made.rows) {
        if (each.what == op::alloc || each.what == op::free) set(each.subject, each.what == op::alloc);
        if (each.what != op::run) continue;
        // Donated buffers are there until the run is over.
        const trace::detail& more = made.details[each.detail];
        for (std::uint32_t at = 0; at < more.outputs.count; ++at) set(made.outputs[more.outputs.first + at].name, true);
        for (std::uint32_t at = 0; at < more.donated.count; ++at) set(made.operands[more.donated.first + at], false);
    }
    return most;
}

}  // namespace

TEST_SUITE("trace generate") {
    TEST_CASE("sharded training gathers layers ahead of their use, and keeps its shard only") {
        const auto write = [](const char* more) {
            return generate_right("sharded_training:layers=5,steps=3,hidden=64,vocabulary=640,sequence=16,batch=1" +
                                  std::string{more});
        };
        const auto runs_of = [](const workload& made, std::string_view program) {
            std::size_t count = 0;
            for (const row& each : made.rows) count += each.what == op::run && made.ids[each.subject] == program;
            return count;
        };
        const std::uint64_t weights = 5 * 12 * 64 * 64 + 640 * 64;
        struct setting {
            const char* more;
            unsigned prefetch;
            unsigned devices;
        };
        for (const setting& each : {setting{",prefetch=0", 0, 16}, setting{"", 1, 16},
                                    setting{",prefetch=3,devices=4", 3, 4}, setting{",prefetch=64,devices=1", 4, 1}}) {
            const auto [more, prefetch, devices] = each;
            CAPTURE(each.more);
            const workload made = write(more);
            // Each layer twice a step, but the last stays from the forward to the backward pass; the embedding twice.
            CHECK(runs_of(made, "all_gather") == 3 * (2 * 5 - 1 + 2));
            CHECK(runs_of(made, "reduce_scatter") == 3 * 6);
            CHECK(runs_of(made, "update") == 3 * 6);
            // Layers have four parts; the embedding, which has one, is gathered beside the first and the last layer.
            CHECK(most_live(made, "gathered") == 4 * (prefetch + 1) + (prefetch == 0 ? 1 : 0));
            CHECK(most_live(made, "whole_gradient") == 8);
            CHECK(buffers_of(made).end == 12 * weights / devices);
        }
        // One device has all of it.
        CHECK(buffers_of(write(",devices=1")).end == 12 * weights);
        CHECK(buffers_of(write(",prefetch=0")).peak <= buffers_of(write(",prefetch=2")).peak);
        // Weights that cannot be divided are padded: every device has the same.
        CHECK(buffers_of(write(",devices=3")).end > 12 * weights / 3);
        // More shards than weights.
        CHECK(error_of("sharded_training:layers=1,hidden=8,vocabulary=1,devices=65536,steps=1").empty());
    }

    TEST_CASE("checkpoints: all arrays are copied, a few at a time, and come back after a failure") {
        const auto write = [](const char* more, std::uint64_t seed = 1) {
            return generate_right("checkpoint_restart:layers=2,hidden=64,vocabulary=640,sequence=16,batch=1,steps=12" +
                                      std::string{more},
                                  seed);
        };
        const auto count = [](const workload& made, op what, std::string_view beginning = {}) {
            std::size_t found = 0;
            for (const row& each : made.rows)
                found += each.what == what && made.ids[each.subject].starts_with(beginning) ? 1U : 0U;
            return found;
        };
        const std::size_t arrays = 3 * (4 * 2 + 1);
        const workload saved = write(",save_every=4,restart_every=0");
        CHECK(count(saved, op::pin) == 3 * arrays);
        CHECK(count(saved, op::unpin) == 3 * arrays);
        CHECK(count(saved, op::run, "gather_") == 3 * arrays);
        CHECK(count(saved, op::run, "train_step") == 12);
        CHECK(count(saved, op::run, "slice_") == 0);
        CHECK(most_live(saved, "copy") == 2);
        CHECK(most_live(write(",save_every=4,restart_every=0,copies=5"), "copy") == 5);
        CHECK(count(write(",save_every=0,restart_every=0"), op::pin) == 0);
        CHECK(count(write(",save_every=4,restart_every=0,gather=0"), op::run, "copy_") == 3 * arrays);
        bool ends_in_a_save = false;
        bool ends_outside = false;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            CAPTURE(seed);
            // In the first of these the first save is often cut short, in the second it is complete.
            const workload made =
                write(seed % 2 == 0 ? ",save_every=4,restart_every=3" : ",save_every=2,restart_every=4", seed);
            const std::size_t processes = count(made, op::load, "train_step");
            CHECK(processes > 1);
            // A process begins with fresh state as long as no save is complete.
            const std::size_t fresh = count(made, op::run, "initialise");
            CHECK(count(made, op::run, "slice_") % arrays == 0);
            CHECK(count(made, op::run, "slice_") / arrays + fresh >= processes);
            CHECK(count(made, op::run, "train_step") == 12);
            CHECK(most_live(made, "restored") <= 2);
            CHECK(count(made, op::pin) == count(made, op::unpin));
            // A save counts once all arrays are copied.
            std::size_t copied = 0;
            bool is_saved = false;
            for (const row& each : made.rows) {
                if (each.what == op::unload) copied = 0;
                if (each.what == op::pin && ++copied % arrays == 0) is_saved = true;
                if (each.what != op::run) continue;
                CHECK_FALSE((is_saved && made.ids[each.subject] == "initialise"));
                CHECK_FALSE((!is_saved && made.ids[each.subject].starts_with("slice_")));
            }
            (count(made, op::pin) % arrays == 0 ? ends_outside : ends_in_a_save) = true;
            // Nothing is left when the last process has ended.
            CHECK(buffers_of(made).end == 0);
            CHECK(count(made, op::load) == count(made, op::unload));
        }
        CHECK(ends_in_a_save);
        CHECK(ends_outside);
        CHECK(error_of("checkpoint_restart:steps=9,save_every=0,restart_every=1").empty());
        CHECK(error_of("checkpoint_restart:steps=9,save_every=1,restart_every=1,gather=0,copies=64").empty());
    }
}

}  // namespace hbm::test::generate_tests
