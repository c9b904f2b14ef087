// Samples in the forms that other programs print.

#include <doctest/doctest.h>

#include <string>

#include "compare/read/samples/printed_samples.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/read/samples/samples_log.hpp"

namespace hbm::test::printed_samples_tests {

using namespace hbm::imported;

TEST_CASE("printed_samples_in: reads a row of tpu-info's table") {
    const auto samples = printed_samples_in("│ 12     │ 10.50 GiB / 31.25 GiB │ 100.00%    │");
    REQUIRE(samples.size() == 1);
    CHECK(samples[0].device == "12");
    CHECK(samples[0].values[0] == std::uint64_t{21} << 29);
    CHECK(samples[0].values[2] == std::uint64_t{125} << 28);
    CHECK(printed_samples_in("┃ Device ┃ HBM Usage (GiB)       ┃ Duty cycle ┃").empty());
    CHECK(printed_samples_in("copied 10.50 GiB / 31.25 GiB").empty());
}

TEST_CASE("printed_samples_in: reads MaxText's and tpu-inference's lines") {
    const auto one = printed_samples_in("(pid=7)   Using (GB) 1.5 / 30.75 (4.878%) on TPU_4(process=1,(0,0,1,0))\r");
    REQUIRE(one.size() == 1);
    CHECK(one[0].device == "TPU_4");
    CHECK(one[0].values[0] == std::uint64_t{3} << 29);
    const auto two = printed_samples_in("INFO Init model | hbm=[(3.5, 31.25), (4.0, 31.25)]Gb");
    REQUIRE(two.size() == 2);
    CHECK(two[1].device == "1");
    CHECK(two[1].values[0] == std::uint64_t{4} << 30);
    CHECK(printed_samples_in("hbm=[(3.5, 31.25), (4.0]").empty());
}

TEST_CASE("samples_in_log: makes series of printed samples, even of one table") {
    const std::string table = "TPU Runtime\n│ 8      │ 1.00 GiB / 4.00 GiB │ 1% │\n│ 9 │ 2.00 GiB / 4.00 GiB │ 1% │\n";
    CHECK(samples_in_log(table) == "device,bytes_in_use,peak_bytes_in_use,bytes_limit,bytes_reserved\n"
                                   "\"8\",1073741824,,4294967296,\n\"9\",2147483648,,4294967296,\n");
    const samples_result read = read_samples(samples_in_log(table + table), "log");
    REQUIRE_FALSE(read.error);
    REQUIRE(read.devices.size() == 2);
    CHECK(read.devices[0].samples.size() == 2);
    CHECK(samples_in_log("  In Use: 2.500 GiB\n") ==
          "bytes_in_use,peak_bytes_in_use,bytes_limit,bytes_reserved\n2684354560,,,\n");
    CHECK(samples_in_log("  Peak In Use: 3.000 GiB\n").empty());
}

}  // namespace hbm::test::printed_samples_tests
