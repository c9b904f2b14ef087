#include <string>

#include "compare/generate/generate.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/replay/trace_helpers.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::write_tests {

using namespace hbm::trace;

namespace {
void check_same(const workload& left, const workload& right) {
    CHECK(left.rows == right.rows);
    CHECK(left.times == right.times);
    CHECK(left.details == right.details);
    CHECK(left.operands == right.operands);
    CHECK(left.outputs == right.outputs);
    CHECK(left.ids == right.ids);
    CHECK(left.tags == right.tags);
    CHECK(left.kinds == right.kinds);
}
}  // namespace

TEST_SUITE("trace write") {
    TEST_CASE("only the columns in use, no empty trailing cells") {
        CHECK(to_csv(read_right("op,id,bytes,tag,t,scratch\nalloc,a,5\nfree,a\nsync\n")) ==
              "op,id,bytes\nalloc,a,5\nfree,a\nsync\n");
        CHECK(to_csv(read_right("op,id,bytes\n")) == "op,id,bytes\n");
        const std::string all = "t,op,id,bytes,tag,inputs,donated,outputs,scratch,reload_us\n"
                                "0,load,p,100,program,,,,50,7\n"
                                "0,load,q,0,,,,,0\n"
                                "1,alloc,a,512,weights\n"
                                "1,alloc,b,512\n"
                                "2,pin,a\n"
                                "2,unpin,a\n"
                                "3,run,p,,,a a,b,c:1 d:0\n"
                                "3,sync\n"
                                "4,free,a,512\n"
                                "4,free,c\n"
                                "9,unload,q,,end\n";
        CHECK(to_csv(read_right(all)) == all);
    }

    TEST_CASE("imported ranges") {
        const std::string all = "op,id,bytes,tag,outputs,scratch,offset\n"
                                "import,a,512,weights,,,4096\n"
                                "load,p,100,,,50\n"
                                "run,p,,,b:1\n"
                                "import,c,1,,,,0\n"
                                "unpin,a\n"
                                "free,a,512\n";
        CHECK(to_csv(read_right(all)) == all);
        check_same(read_right(to_csv(read_right(all))), read_right(all));
        CHECK(to_csv(read_right("op,id,bytes,offset\nalloc,a,5\n")) == "op,id,bytes\nalloc,a,5\n");
    }

    TEST_CASE("kinds") {
        const std::string all = "t,op,id,bytes,inputs,outputs,us,kind\n"
                                "0,alloc,h,512,,,,pinned_host\n"
                                "0,alloc,a,512\n"
                                "0,load,p,100\n"
                                "2,run,p,,a,b:1,5\n"
                                "2,alloc,c,0,,,,fast\n";
        CHECK(to_csv(read_right(all)) == all);
        check_same(read_right(to_csv(read_right(all))), read_right(all));
    }

    TEST_CASE("a MiniMalloc instance as a trace") {
        const workload made = read_right("id,lower,upper,size\nb,2,4,10\na,0,4,20\n");
        CHECK(to_csv(made) == "t,op,id,bytes\n0,alloc,a,20\n2,alloc,b,10\n4,free,b,10\n4,free,a,20\n");
        check_same(read_right(to_csv(made)), made);
    }

    TEST_CASE("reading back gives the same workload") {
        for (const generator& each : generators()) {
            for (std::uint64_t seed = 0; seed < seeds_to_try(3); ++seed) {
                const workload made = generate(each.name, seed);
                CAPTURE(each.name);
                check_same(read_right(to_csv(made)), made);
            }
        }
    }
}

}  // namespace hbm::test::write_tests
