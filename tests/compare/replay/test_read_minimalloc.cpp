#include <string>
#include <vector>

#include "trace_helpers.hpp"

namespace hbm::test::read_minimalloc_tests {

using namespace hbm::trace;

TEST_SUITE("trace read minimalloc") {
    TEST_CASE("lifetimes become rows in the order of time") {
        // At 4, b and a die, in file order, before c is born.
        const workload made = read_right("id,lower,upper,size\nb,2,4,10\na,0,4,20\nc,4,9,30\n");
        CHECK(in_words(made) == "alloc a 20; alloc b 10; free b 10; free a 20; alloc c 30; free c 30; ");
        CHECK(made.times == std::vector<std::uint64_t>{0, 2, 4, 4, 4, 9});
        CHECK(made.lines == std::vector<std::size_t>{3, 2, 2, 3, 4, 4});
    }

    TEST_CASE("columns in any order, comments, an empty lifetime") {
        CHECK(in_words(read_right("# x\r\nsize,upper,lower,id\r\n7,3,1,a\r\n8,2,2,b\r\n")) == "alloc a 7; free a 7; ");
        CHECK(read_right("id,lower,upper,size\n").rows.empty());
    }

    TEST_CASE("an id may come back when its earlier lifetime is over") {
        CHECK(in_words(read_right("id,lower,upper,size\na,5,9,1\na,1,5,2\n")) ==
              "alloc a 2; free a 2; alloc a 1; free a 1; ");
        CHECK(message_of("id,lower,upper,size\na,5,9,1\na,1,6,2\n") ==
              "f.csv:2:1: found id `a` of a live buffer, expected an id that is not in use");
    }

    TEST_CASE("malformed rows") {
        const std::string head = "id,lower,upper,size\n";
        const std::string time = ", expected a time as an unsigned decimal number below 2^64";
        CHECK(message_of(head + "a,-1,5,1\n") == "f.csv:2:3: found `-1`" + time);
        CHECK(message_of(head + "a,0,x,1\n") == "f.csv:2:5: found `x`" + time);
        CHECK(message_of(head + "a,0\n") == "f.csv:2:4: found nothing" + time);
        CHECK(message_of(head + "a,0,1,-1\n") ==
              "f.csv:2:7: found `-1`, expected bytes as an unsigned decimal number below 2^64");
        CHECK(message_of(head + "a,5,4,1\n") ==
              "f.csv:2:5: found `4`, expected an upper time that is not below the lower one");
        CHECK(message_of(head + ",1,4,1\n") == "f.csv:2:1: found nothing, expected an id");
        CHECK(message_of(head + ",1,1,1\n") == "f.csv:2:1: found nothing, expected an id");
        CHECK(message_of(head + "a b,1,4,1\n") ==
              "f.csv:2:1: found `a b`, expected an id without blanks, commas or control characters");
        CHECK(message_of(head + "a,1,4,1,1\n") ==
              "f.csv:2:9: found an extra cell `1`, expected at most 4 cells, as in the header row");
    }

    TEST_CASE("the offsets of a solution are left aside") {
        CHECK(read_right("id,lower,upper,size,offset\nb,2,4,10,512\na,0,4,20,0\n").rows ==
              read_right("id,lower,upper,size\nb,2,4,10\na,0,4,20\n").rows);
    }

    TEST_CASE("malformed headers") {
        CHECK(message_of("id,lower,upper\n") ==
              "f.csv:1:1: found no column `size`, expected the columns id,lower,upper,size");
        CHECK(message_of("id,lower,upper,size,gaps\n") ==
              "f.csv:1:21: found column `gaps`, expected the columns id,lower,upper,size,offset");
        CHECK(message_of("id,lower,upper,size,lower\n") ==
              "f.csv:1:21: found column `lower` twice, expected each column once");
    }

    TEST_CASE("hostile times and sizes") {
        const workload made =
            read_right("id,lower,upper,size\na,0,18446744073709551615,18446744073709551615\nb,0,1,0\n");
        CHECK(made.rows.size() == 4);
        CHECK(made.times.back() == ~std::uint64_t{0});
    }
}

}  // namespace hbm::test::read_minimalloc_tests
