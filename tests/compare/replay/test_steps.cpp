// Where the steps of a trace end.
#include <doctest/doctest.h>

#include <string>

#include "compare/read/csv/read.hpp"
#include "compare/replay/steps.hpp"
#include "compare/replay/trace_helpers.hpp"

namespace hbm::test::steps_tests {

using namespace hbm::trace;

namespace {

/// `steps` times the same rows: `count` buffers of different sizes, last in first out.
std::string repeated(int steps, int count) {
    std::string text = "op,id,bytes\n";
    for (int step = 0; step < steps; ++step) {
        for (int at = 0; at < count; ++at)
            text += "alloc,b" + std::to_string(at) + "," + std::to_string(512 * (at * at + 1)) + "\n";
        for (int at = count; at-- > 0;) text += "free,b" + std::to_string(at) + ",\n";
    }
    return text;
}

}  // namespace

TEST_CASE("runs end steps, and where there are none syncs do") {
    const std::string both = "op,id,bytes,outputs\nload,p,512,\nrun,p,,a:5\nsync,,,\nfree,a,,\nrun,p,,a:6\nfree,a,,\n";
    CHECK(steps_of(read_right(both)) == trace_steps{step_end::run, 0, {2, 5}});
    CHECK(steps_of(read_right("op,id,bytes\nalloc,a,5\nsync,,\nfree,a,\nsync,,\n")) ==
          trace_steps{step_end::sync, 0, {2, 4}});
}

TEST_CASE("rows that repeat are steps, whatever comes before them") {
    const trace_steps found = steps_of(read_right(repeated(20, 30)));
    CHECK(found.how == step_end::period);
    CHECK(found.is_even);
    CHECK(found.rows == 60);
    CHECK(found.ends.size() == 20);
    std::string text = repeated(20, 30);
    const std::string header = "op,id,bytes\n";
    text.insert(header.size(), "alloc,w,1000000\nalloc,v,2000000\nalloc,u,7\n");
    CHECK(steps_of(read_right(text)).rows == 60);
    // A loop within a step is not the step, where not all of the step is that loop.
    std::string nested = header;
    for (int step = 0; step < 12; ++step) {
        nested += "alloc,big,123456\n";
        for (int layer = 0; layer < 6; ++layer) nested += repeated(1, 14).substr(header.size());
        for (int at = 0; at < 40; ++at)
            nested += "alloc,t" + std::to_string(at) + "," + std::to_string(777 * (at + 3)) + "\nfree,t" +
                      std::to_string(at) + ",\n";
        nested += "free,big,\n";
    }
    CHECK(steps_of(read_right(nested)).rows == 2 + 6 * 28 + 80);
}

TEST_CASE("rows that repeat in a part of the trace only are not taken to be all of its steps") {
    std::string text = repeated(20, 30);
    for (int at = 0; at < 300; ++at)
        text += "alloc,t" + std::to_string(at) + "," + std::to_string(777 * (at + 3)) + "\n";
    const trace_steps found = steps_of(read_right(text));
    CHECK(found.how == step_end::period);
    CHECK(!found.is_even);
}

TEST_CASE("where nothing repeats a step is as many rows as make 1,024 steps, 16 at the least") {
    std::string text = "op,id,bytes\n";
    std::uint64_t drawn = 1;
    for (int at = 0; at < 40'000; ++at) {
        drawn = drawn * 6364136223846793005 + 1442695040888963407;
        text += "alloc,b" + std::to_string(at) + "," + std::to_string(drawn >> 40U) + "\n";
    }
    const trace_steps found = steps_of(read_right(text));
    CHECK(found.how == step_end::rows);
    CHECK(found.rows == 39);
    CHECK(found.ends.size() == 1025);
    CHECK(steps_of(read_right("op,id,bytes\nalloc,a,1\nalloc,b,2\n")) == trace_steps{step_end::rows, 16, {}});
    CHECK(steps_of(workload{}) == trace_steps{step_end::rows, 16, {}});
}

}  // namespace hbm::test::steps_tests
