// Damaged profiles and snapshots: an error or a trace that can be read again, whatever the bytes are.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "compare/read/csv/write.hpp"
#include "compare/read/jax/describe_profile.hpp"
#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/read/torch/describe_snapshot.hpp"
#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/read/torch/snapshot_trace.hpp"
#include "pickle_sample.hpp"
#include "pprof_sample.hpp"

namespace hbm::test::profile_hostile_tests {

namespace {

using namespace hbm::imported;

/// SplitMix64.
struct random_numbers {
    std::uint64_t state = 0;

    std::uint64_t next() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
        return z ^ (z >> 31U);
    }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
};

/// The bytes with one to four changes: a byte changed or put in, a part left out or doubled, the end cut off.
std::string damaged(std::string bytes, std::uint64_t seed) {
    random_numbers random{seed};
    for (std::size_t changes = 1 + random.below(4); changes != 0 && !bytes.empty(); --changes) {
        const std::size_t at = random.below(bytes.size());
        const std::size_t length = 1 + random.below(random.below(2) == 0 ? 4 : 40);
        switch (random.below(6)) {
        case 0:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
            break;
        case 1:
            bytes[at] = static_cast<char>(random.next());
            break;
        case 2:
            bytes.insert(at, length, static_cast<char>(random.below(2) == 0 ? 0xff : random.next()));
            break;
        case 3:
            bytes.insert(at, bytes.substr(at, length));
            break;
        case 4:
            bytes.erase(at, length);
            break;
        default:
            if (random.below(4) == 0) bytes.resize(at);
            break;
        }
    }
    return bytes;
}

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
    for (const std::string& whole : {sample::small_profile(), sample::small_snapshot()}) {
        std::size_t errors = 0;
        for (std::uint64_t seed = 0; seed < 3000; ++seed) {
            CAPTURE(seed);
            const std::string bytes = damaged(whole, seed);
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
