#include <string>
#include <vector>

#include "trace_helpers.hpp"

namespace hbm::test::read_rmm_tests {

using namespace hbm::trace;

namespace {
const std::string head = "Thread,Time,Action,Pointer,Size,Stream\n";
}

TEST_SUITE("trace read rmm") {
    TEST_CASE("pointers are reused, failures are skipped and counted") {
        const workload made = read_right(head + "1979932,14:21:19.998533,allocate,0x30a000000,256,0x2\n"
                                                "1979932,14:21:20.000001,allocate failure,0x0,99999,0x2\n"
                                                "1979932,14:21:20.000001,free,0x30a000000,256,0x2\n"
                                                "1979932,14:21:20.998533,allocate,0x30a000000,1024,0x2\n");
        CHECK(in_words(made) == "alloc 0x30a000000 256; free 0x30a000000 256; alloc 0x30a000000 1024; ");
        CHECK(made.skipped == 1);
        CHECK(made.times == std::vector<std::uint64_t>{0, 1468, 1000000});
        CHECK(made.lines == std::vector<std::size_t>{2, 4, 5});
    }

    TEST_CASE("pointers without 0x, other columns missing, any order") {
        CHECK(in_words(read_right("Size,Action,Pointer\n5,allocate,7f3a\n5,free,7f3a\n")) ==
              "alloc 7f3a 5; free 7f3a 5; ");
        CHECK(read_right("Size,Action,Pointer\n5,allocate,7f3a\n").times.empty());
        CHECK(read_right(head).rows.empty());
        CHECK(in_words(read_right(head + "1,2.5,allocate,0xa,1,0\n1,2.5,deallocate,0xa,1,0\n")) ==
              "alloc 0xa 1; free 0xa 1; ");
    }

    TEST_CASE("null pointers stand for nothing") {
        CHECK(read_right(head + "1,1,allocate,0x0,0,0\n1,1,allocate,(nil),0,0\n1,1,free,0,0,0\n").rows.empty());
        CHECK(message_of(head + "1,1,allocate,0x0,5,0\n") ==
              "f.csv:2:14: found `0x0`, expected the address of a buffer");
    }

    TEST_CASE("notations of time") {
        const auto times = [](const std::string& first, const std::string& second) {
            return read_right(head + "1," + first + ",allocate,0xa,1,0\n1," + second + ",allocate,0xb,1,0\n").times;
        };
        using list = std::vector<std::uint64_t>;
        CHECK(times("18:44:01:123456", "18:44:02:000000") == list{0, 876544});
        CHECK(times("18:44:01", "18:45:01.5") == list{0, 60500000});
        CHECK(times("1634567890.123456", "1634567890.345678") == list{0, 222222});
        CHECK(times("1634567890", "1634567891.0000009") == list{0, 1000000});
        CHECK(times("23:59:59.999999", "00:00:00.000001") == list{0, 2});
        // Out of order or unknown: the trace has no times.
        CHECK(times("18:44:02", "18:44:01").empty());
        CHECK(times("18:44:02", "now").empty());
        CHECK(times("", "18:44:02").empty());
        CHECK(times("25:00:00", "25:00:01").empty());
        CHECK(times("18:44:02x", "18:44:03").empty());
        CHECK(times("99999999999999999999", "1").empty());
    }

    TEST_CASE("malformed rows") {
        CHECK(message_of(head + "1,1,grow,0xa,1,0\n") ==
              "f.csv:2:5: found `grow`, expected one of allocate, allocate failure, free");
        CHECK(message_of(head + "1,1,allocate,0xa,-1,0\n") ==
              "f.csv:2:18: found `-1`, expected bytes as an unsigned decimal number below 2^64");
        CHECK(message_of(head + "1,1,allocate,0xa\n") ==
              "f.csv:2:17: found nothing, expected bytes as an unsigned decimal number below 2^64");
        CHECK(message_of(head + "1,1,allocate,,1,0\n") ==
              "f.csv:2:14: found nothing, expected an id without blanks, commas or control characters");
        CHECK(message_of(head + "1,1,free,0xa,1,0\n") ==
              "f.csv:2:10: found id `0xa`, which is not live, expected a live buffer");
        CHECK(message_of(head + "1,1,allocate,0xa,1,0\n1,1,allocate,0xa,1,0\n") ==
              "f.csv:3:14: found id `0xa` of a live buffer, expected an id that is not in use");
        CHECK(message_of(head + "1,1,allocate,0xa,1,0\n1,1,free,0xa,2,0\n") ==
              "f.csv:3:14: found 2 bytes, expected 1 bytes as allocated, or an empty cell");
        CHECK(message_of("Thread,Time,Action,Pointer,Stream\n") ==
              "f.csv:1:1: found no column `Size`, expected the columns Action,Pointer,Size");
    }
}

}  // namespace hbm::test::read_rmm_tests
