#include <hbm/tpu/generations.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compare/generate/generate.hpp"
#include "compare/managers/shipped.hpp"
#include "compare/managers/timed/streams.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/replay.hpp"
#include "compare/workloads/device_part.hpp"

namespace hbm::test::streams_tests {

using namespace hbm::compare;

namespace {

trace::workload read_rows(const std::string& text) {
    trace::read_result read = trace::read_text(text, "f.csv");
    REQUIRE(read);
    return std::move(*read);
}

/// Serving in little more memory than it needs, with two runs in flight.
struct tight_serving {
    trace::workload load;
    memory_spec spec = tpu::v5e;

    tight_serving() {
        trace::generate_result generated = trace::generate("llm_serving:requests=40", 1);
        REQUIRE(generated);
        load = std::move(*generated);
        CHECK(set_durations(load));
        spec.capacity = trace::min_bytes(load, spec.quantum) / 100 / spec.quantum * spec.quantum * 108;
        spec.runs_in_flight = 2;
    }
};

}  // namespace

TEST_CASE("durations: those of the trace, else the time until its next run or work") {
    trace::workload load = read_rows("t,op,id,bytes,us,stream\n0,load,p,1\n10,run,p\n15,run,p,,7\n15,alloc,a,1\n"
                                     "20,work,w,,,1\n29,run,p\n30,free,a\n");
    CHECK(set_durations(load));
    std::vector<std::uint64_t> durations;
    for (const trace::row& next : load.rows)
        if (next.what == trace::op::run || next.what == trace::op::work)
            durations.push_back(load.details[next.detail].us);
    CHECK(durations == std::vector<std::uint64_t>{5, 7, 9, 1});
    trace::workload untimed = read_rows("op,id,bytes\nload,p,1\nrun,p\n");
    CHECK_FALSE(set_durations(untimed));
    trace::workload without = read_rows("t,op,id,bytes\n0,alloc,a,1\n9,free,a\n");
    CHECK_FALSE(set_durations(without));
    trace::workload worked = read_rows("op,id,bytes,us\nload,p,1\nrun,p\nwork,w,,9\n");
    CHECK_FALSE(set_durations(worked));
}

TEST_CASE("one stream: the stall is the modelled time of moves of the shipped manager") {
    const tight_serving serving;
    const stream_figures waiting = measure_streams(serving.load, serving.spec, {});
    CHECK(waiting.error.empty());
    CHECK(waiting.sums.moves > 100);
    CHECK(waiting.stalled == waiting.sums.move_nanoseconds);
    CHECK(waiting.moved_by_calls == waiting.sums.moved_bytes);

    const manager_entries all = shipped_managers();
    const auto plain = std::find_if(all.begin(), all.end(), [](const manager_entry& entry) {
        return entry.name == "bottom_reserve<compacting<best_fit_lifo>>/evict_cheapest_window/donate_same_size";
    });
    REQUIRE(plain != all.end());
    const auto memory = (plain->narrow.make != nullptr ? plain->narrow : plain->wide).memory(serving.spec);
    CHECK(trace::completes(serving.load, *memory));
    CHECK(memory->done_so_far() == waiting.sums);
}

TEST_CASE("two streams: the same relief, and runs in flight hide copies") {
    const tight_serving serving;
    const stream_figures waiting = measure_streams(serving.load, serving.spec, {});
    const stream_figures moving = measure_streams(serving.load, serving.spec, {trace::copying::on_its_own});
    CHECK(moving.sums == waiting.sums);
    CHECK(moving.stalled < waiting.stalled / 3);
    CHECK(waiting.end - waiting.stalled == moving.end - moving.stalled);

    memory_spec nothing_flies = serving.spec;
    nothing_flies.runs_in_flight = 0;
    CHECK(measure_streams(serving.load, nothing_flies, {trace::copying::on_its_own}).stalled ==
          measure_streams(serving.load, nothing_flies, {}).stalled);
}

TEST_CASE("passes: they copy within their limit, and calls move less") {
    const tight_serving serving;
    const stream_figures moving = measure_streams(serving.load, serving.spec, {trace::copying::on_its_own});
    const stream_figures passing =
        measure_streams(serving.load, serving.spec, {trace::copying::on_its_own, std::uint64_t{64} << 20U});
    CHECK(passing.error.empty());
    CHECK(passing.passed > 0);
    CHECK(passing.sums.moved_bytes <= passing.moved_by_calls + passing.passed);
    CHECK(moving.passed == 0);
    const std::uint64_t less_than_a_block = 256;
    CHECK(measure_streams(serving.load, serving.spec, {trace::copying::on_its_own, less_than_a_block}).passed == 0);
}

TEST_CASE("end: that of the last run, whatever work goes on") {
    trace::workload load = read_rows("op,id,bytes,us,stream\nload,p,1\nrun,p,,5\nwork,w,,9000,1\n");
    CHECK(set_durations(load));
    CHECK(measure_streams(load, tpu::v5e, {}).end == 5000);
}

TEST_CASE("device part: buffers of other kinds leave with all their rows") {
    trace::workload load = read_rows("t,op,id,bytes,inputs,us,stream,kind\n"
                                     "0,alloc,h,512,,,,pinned_host\n"
                                     "1,alloc,a,512\n"
                                     "1,alloc,g,100,,,,fast\n"
                                     "2,load,p,1\n"
                                     "3,pin,h\n"
                                     "3,work,w,,h a,5,1\n"
                                     "4,free,h\n"
                                     "4,alloc,h,7\n"
                                     "5,run,p,,h g a\n"
                                     "6,free,h\n"
                                     "6,sync\n");
    const other_memories left_out = keep_device_part(load);
    CHECK(left_out.buffers == 2);
    CHECK(left_out.peak_bytes == 612);
    CHECK(trace::to_csv(load) == "t,op,id,bytes,inputs,us,stream\n"
                                 "1,alloc,a,512\n"
                                 "2,load,p,1\n"
                                 "3,work,w,,a,5,1\n"
                                 "4,alloc,h,7\n"
                                 "5,run,p,,h a\n"
                                 "6,free,h\n"
                                 "6,sync\n");
    CHECK(load.lines == std::vector<std::size_t>{3, 5, 7, 9, 10, 11, 12});
    CHECK(keep_device_part(load).buffers == 0);
}

}  // namespace hbm::test::streams_tests
