// Files of samples that are cut, flipped, doubled: an error, or samples; never anything else.
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "compare/growth/samples_growth.hpp"
#include "compare/growth/text.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/read/samples/samples_cells.hpp"
#include "support/damaged.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::samples_hostile_tests {

namespace {

std::string sample() {
    std::string text =
        "\xEF\xBB\xBF# samples\nstep, device ,\"bytes_in_use\",peak_bytes_in_use,bytes_limit,bytes_reserved\n";
    for (std::uint64_t at = 0; at < 20; ++at)
        text += std::to_string(at * 10) + "," + std::to_string(at % 2) + "," + std::to_string(1000 + 512 * at) + "," +
                std::to_string(2000 + 512 * at) + ",18446744073709551615,0.5\r\n";
    return text;
}

/// Reads a text, and judges what was read.
void survive(const std::string& text, bool& was_read) {
    const imported::samples_result read = imported::read_samples(text, "s.csv");
    CHECK((!read.error || read.devices.empty()));
    if (read.error) {
        CHECK(!read.error->found.empty());
        CHECK(!read.error->expected.empty());
    }
    (void)imported::looks_like_samples(text);
    was_read = !read.error;
    for (const imported::sample_series& each : read.devices) {
        const growth_summary found = imported::growth_of(each, "s.csv");
        CHECK(found.seen() == each.samples.size());
        CHECK(is_valid_json(to_json(found)));
    }
}

}  // namespace

TEST_CASE("cut at each byte") {
    const std::string whole = sample();
    int read = 0;
    for (std::size_t at = 0; at <= whole.size(); ++at) {
        CAPTURE(at);
        bool was_read = false;
        survive(whole.substr(0, at), was_read);
        read += was_read;
    }
    CHECK(read > 100);
}

TEST_CASE("bytes flipped, doubled, inserted and taken away, a few at a time") {
    const std::string whole = sample();
    constexpr std::string_view inserted[] = {",",   "\n",   "\"", "18446744073709551616", "1e400", "-", ".",
                                             "nan", "\xff", "\r"};
    int read = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        CAPTURE(seed);
        testing::random_numbers random{seed};
        bool was_read = false;
        survive(damaged(whole, inserted, random), was_read);
        read += was_read;
    }
    CHECK(read > 100);
    CHECK(read < 3900);
}

TEST_CASE("a thousand devices, a row of a million commas, positions at both ends of 64 bits") {
    std::string many = "device,bytes_in_use\n";
    for (int at = 0; at < 2000; ++at) many += "d" + std::to_string(at) + ",1\n";
    bool was_read = false;
    survive(many, was_read);
    CHECK(was_read);
    survive("bytes_in_use" + std::string(1'000'000, ',') + "\n1\n", was_read);
    CHECK(was_read);
    survive("step,bytes_in_use\n0,0\n18446744073709551615,18446744073709551615\n", was_read);
    CHECK(was_read);
    std::string far = "t,bytes_in_use\n";
    for (std::uint64_t at = 0; at < 64; ++at)
        far += std::to_string((~std::uint64_t{0} / 64) * at) + "," + std::to_string(at << 46U) + "\n";
    survive(far, was_read);
    CHECK(was_read);
}

}  // namespace hbm::test::samples_hostile_tests
