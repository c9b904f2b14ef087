// Sizes that no memory has are found at their row.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "compare/read/csv/read.hpp"
#include "compare/replay/row_failure.hpp"

namespace hbm::test::row_beyond_tests {

using namespace hbm::trace;

namespace {

std::optional<row_beyond_limit> beyond(const std::string& rows, std::uint64_t most) {
    const read_result read = read_text("op,id,bytes,scratch,outputs,donated,offset\n" + rows, "t.csv");
    REQUIRE_MESSAGE(read, read.error().message());
    return find_row_beyond(*read, most);
}

}  // namespace

TEST_CASE("buffers and programs count until they end, and all at once may be as large as the limit") {
    CHECK(!beyond("alloc,a,60\nalloc,b,40\nfree,a\nalloc,a,60\n", 100));
    CHECK(beyond("alloc,a,60\nalloc,b,41\n", 100) == row_beyond_limit{1, 41});
    CHECK(!beyond("load,p,60,40\nunload,p\nload,p,70,30\n", 100));
    CHECK(beyond("load,p,60,41\n", 100) == row_beyond_limit{0, 60});
    CHECK(!beyond("load,p,10,0\nalloc,a,60\nrun,p,,,b:90,a\n", 100));
    CHECK(beyond("load,p,10,0\nalloc,a,60\nrun,p,,,b:31 c:60,a\n", 100) == row_beyond_limit{2, 60});
    CHECK(beyond("import,a,1,,,,100\n", 100) == row_beyond_limit{0, 100});
    CHECK(!beyond("import,a,1,,,,99\n", 100));
}

TEST_CASE("sums near 2^64 do not wrap") {
    CHECK(beyond("alloc,a,18446744073709551615\n", most_bytes_at_once) == row_beyond_limit{0, 18446744073709551615ULL});
    CHECK(beyond("load,p,18446744073709551615,18446744073709551615\n", most_bytes_at_once) ==
          row_beyond_limit{0, 18446744073709551615ULL});
    CHECK(beyond("load,p,1\nrun,p,,,a:9223372036854775808 b:9223372036854775808\n", most_bytes_at_once)->row == 1);
    CHECK(beyond("import,a,1,,,,18446744073709551613\n", most_bytes_at_once)->row == 0);
}

}  // namespace hbm::test::row_beyond_tests
