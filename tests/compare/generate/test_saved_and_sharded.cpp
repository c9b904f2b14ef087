// Sharded training, and training that is saved and restored.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/generate/generate.hpp"
#include "generated.hpp"

namespace hbm::test::saved_and_sharded_tests {

using namespace hbm::trace;

namespace {

// The most buffers at a time whose id begins with this word and a digit.
std::size_t most_live(const workload& made, std::string_view kind) {
    std::vector<bool> counts(made.ids.size());
    std::vector<bool> alive(made.ids.size());
    for (std::size_t at = 0; at < made.ids.size(); ++at) {
        const std::string& name = made.ids[at];
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

}  // namespace hbm::test::saved_and_sharded_tests
