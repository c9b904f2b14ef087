// Damaged profiles and snapshots: an error or a trace that can be read again, whatever the bytes are.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compare/read/csv/read.hpp"
#include "compare/read/jax/describe_profile.hpp"
#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/read/torch/describe_snapshot.hpp"
#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/read/torch/snapshot_trace.hpp"
#include "pickle_sample.hpp"
#include "pprof_sample.hpp"
#include "support/damaged.hpp"

namespace hbm::test::profile_hostile_tests {

namespace {

using namespace hbm::imported;

/// What is wrong with a result; empty if nothing is.
std::string judge(const hbm::trace::read_result& made) {
    if (!made) return made.error().message().empty() ? "an error without words" : "";
    const auto again = hbm::trace::read_text(hbm::trace::to_csv(*made), "again");
    if (!again) return "a trace that cannot be read again: " + again.error().message();
    return again->rows == made->rows ? "" : "another trace when it is read again";
}

/// Reads damaged bytes in every way. Returns what is wrong.
std::string try_all(const std::string& bytes) {
    std::string wrong = judge(read_trace_text(bytes, "f"));
    if (const auto profile = read_pprof(bytes, "f"); profile) {
        for (const std::string_view device : {"", "TPU_1"})
            if (wrong.empty()) wrong = judge(trace_of(*profile, "f", device));
        (void)describe_profile(bytes, "f");
    }
    if (const auto snapshot = read_snapshot(bytes, "f"); snapshot) {
        for (const std::string_view device : {"", "1"}) {
            if (wrong.empty()) wrong = judge(trace_of(*snapshot, "f", device));
            if (wrong.empty()) wrong = judge(layout_of(*snapshot, "f", device));
        }
        (void)describe_snapshot(bytes, "f");
    }
    return wrong;
}

TEST_CASE("profiles and snapshots that are cut anywhere are errors") {
    for (const std::string& whole : {sample::small_profile(), sample::small_snapshot()}) {
        REQUIRE(try_all(whole).empty());
        for (std::size_t size = 0; size < whole.size(); ++size) {
            CAPTURE(size);
            CHECK(try_all(whole.substr(0, size)).empty());
        }
    }
    // A pickle says where it ends.
    const std::string whole = sample::small_snapshot();
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(read_snapshot(whole.substr(0, size), "f"));
}

TEST_CASE("damaged profiles and snapshots are errors or good traces") {
    constexpr std::string_view pieces[] = {"\xff", "\xff\xff\xff\xff", std::string_view("\0", 1), "\x80"};
    for (const std::string& whole : {sample::small_profile(), sample::small_snapshot()}) {
        std::size_t errors = 0;
        for (std::uint64_t seed = 0; seed < 3000; ++seed) {
            CAPTURE(seed);
            testing::random_numbers random{seed};
            const std::string bytes = damaged(whole, pieces, random);
            const std::string wrong = try_all(bytes);
            CHECK_MESSAGE(wrong.empty(), wrong);
            if (!read_pprof(bytes, "f") && !read_snapshot(bytes, "f")) ++errors;
        }
        // Neither all nor none of the changes matter.
        CHECK(errors > 300);
        CHECK(errors < 3000);
    }
}

}  // namespace

}  // namespace hbm::test::profile_hostile_tests
