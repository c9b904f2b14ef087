#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "support/golden_text.hpp"
#include "trace_helpers.hpp"

namespace hbm::test::read_csv_tests {

using namespace hbm::trace;

namespace {
const std::string wide = "op,id,bytes,t,tag,inputs,donated,outputs,scratch,reload_us\n";
const std::string header_words = "expected a header row: op,id,bytes (a trace), id,lower,upper,size (MiniMalloc) or "
                                 "Thread,Time,Action,Pointer,Size,Stream (an RMM log)";
}  // namespace

TEST_SUITE("trace read csv") {
    TEST_CASE("errors: each text has the message of the golden file") {
        const std::string file = "compare/replay/errors.txt";
        for (const std::string& name : golden_sections(file)) {
            std::string text;
            for (std::size_t at = 0; at < name.size(); ++at)
                text += name.substr(at, 2) == "\\n" ? (++at, '\n') : name[at];
            const std::string message = message_of(text) + '\n';
            CHECK_MESSAGE(message == golden_text(file, name, message), name);
        }
    }

    TEST_CASE("a plain allocation log") {
        const workload made = read_right("t,op,id,bytes\n0,alloc,a,512\n3,alloc,b,0\n3,free,a,512\n9,free,b\n");
        CHECK(in_words(made) == "alloc a 512; alloc b; free a 512; free b -; ");
        CHECK(made.times == std::vector<std::uint64_t>{0, 3, 3, 9});
        CHECK(made.lines == std::vector<std::size_t>{2, 3, 4, 5});
        CHECK(made.name == "f.csv");
    }

    TEST_CASE("every operation and column") {
        const workload made = read_right(wide + "load,p,100,1,program,,,,50,7\n"
                                                "alloc,a,512,2,weights\n"
                                                "alloc,b,512,2\n"
                                                "alloc,c,256,2\n"
                                                "pin,a\n"
                                                "unpin,a\n"
                                                "run,p,,3,step,a a,b c,d:100 e:f:0\n"
                                                "unload,p\n"
                                                "run,p\n"
                                                "sync\n"
                                                "free,e:f\n");
        CHECK(in_words(made) ==
              "load p 100 #program scratch 50 reload 7; alloc a 512 #weights; alloc b 512; alloc c 256; "
              "pin a; unpin a; run p #step uses a a takes b c gives d:100 e:f:0; unload p; run p; sync; "
              "free e:f -; ");
        CHECK(made.times == std::vector<std::uint64_t>{1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3});
        CHECK(made.has_programs());
        CHECK(made.has_donations());
    }

    TEST_CASE("streams and kinds") {
        const workload load = read_right("op,id,bytes,inputs,us,stream,kind\n"
                                         "alloc,h,512,,,,pinned_host\n"
                                         "alloc,a,512,,,,device\n"
                                         "load,p,100\n"
                                         "work,in,,h a a,70,2\n"
                                         "wait,in\n"
                                         "run,p,,a,5\n"
                                         "wait,p,,,,1\n"
                                         "work,in,,,,1\n"
                                         "unload,p\n"
                                         "load,p,200\n"
                                         "wait,p,,,,63\n"
                                         "free,h\n"
                                         "alloc,h,1,,,,fast\n");
        CHECK(in_words(load) ==
              "alloc h 512 in pinned_host; alloc a 512; load p 100 scratch 0 reload -; work in uses h a a for 70 on 2; "
              "wait in; run p uses a for 5; wait p on 1; work in on 1; unload p; load p 200 scratch 0 reload -; "
              "wait p on 63; free h -; alloc h 1 in fast; ");
        CHECK(load.kinds == std::vector<std::string>{"device", "pinned_host", "fast"});
        CHECK(read_right("op,id,bytes,kind\nalloc,a,1,device\n").kinds.empty());
    }

    TEST_CASE("columns in any order") {
        CHECK(in_words(read_right("bytes,tag,id,op\n5,x,a,alloc\n,,a,free\n")) == "alloc a 5 #x; free a -; ");
    }

    TEST_CASE("byte order mark, CRLF, comments, blank lines and a last line without an end") {
        const workload made =
            read_right("\xEF\xBB\xBF# comment\r\n\r\nop,id,bytes\r\n#x,y\r\nalloc,a,5\r\n  \r\nfree,a");
        CHECK(in_words(made) == "alloc a 5; free a -; ");
        CHECK(made.lines == std::vector<std::size_t>{5, 7});
        CHECK(read_right("op,id,bytes").rows.empty());
        CHECK(read_right("# only\nop,id,bytes\n").rows.empty());
    }

    TEST_CASE("capitals in the header row; blanks and quotation marks around cells, if the header row has some") {
        CHECK(in_words(read_right("Op,ID,BYTES\nalloc,a,5\n")) == "alloc a 5; ");
        CHECK(in_words(read_right("op, id ,bytes\nalloc,\ta , 5\n")) == "alloc a 5; ");
        CHECK(in_words(read_right("\"op\",\"id\",\"bytes\",\"tag\"\n\"alloc\",\"a\",5,\" x\"\nfree,\"a\",\"\"\n")) ==
              "alloc a 5 # x; free a -; ");
        CHECK(in_words(read_right("op,id,bytes,tag\nalloc,a,5,\"x\"\n")) == "alloc a 5 #\"x\"; ");
        CHECK(message_of("op, id, bytes\nalloc, a, x\n") ==
              "2:11: found `x`, expected bytes as an unsigned decimal number below 2^64");
    }

    TEST_CASE("ids come back after they died") {
        CHECK(read_right("op,id,bytes\nalloc,a,1\nfree,a\nalloc,a,2\nfree,a\nload,a,3\nunload,a\nload,a,4\n")
                  .rows.size() == 7);
    }

    TEST_CASE("a program may be loaded again as it was") {
        CHECK(message_of("op,id,bytes,scratch\nload,p,1,2\nload,p,1,2\n").empty());
    }

    TEST_CASE("a text without a header row") {
        CHECK(message_of(std::string("\0\0\x01", 3)) == "1:1: found `\\x00\\x00\\x01`, " + header_words);
    }

    TEST_CASE("a wrong header row") {
        const std::string columns =
            "expected the columns op,id,bytes,t,tag,inputs,donated,outputs,scratch,reload_us,offset,us,stream,kind";
        CHECK(message_of("\xEF\xBB\xBFid,x\n") == "1:7: found column `x`, " + columns);
    }

    TEST_CASE("wrong cells") {
        const std::string head = "op,id,bytes\n";
        const std::string bytes = ", expected bytes as an unsigned decimal number below 2^64";
        for (const char* const bad : {"-1", "+1", "1.5", "0x10", "1e3", " 1", "1 ", "4K", "18446744073709551616"}) {
            CHECK(message_of(head + "alloc,a," + bad + "\n") == std::string{"2:9: found `"} + bad + "`" + bytes);
        }
        CHECK(message_of(head + "alloc,a,18446744073709551615\n").empty());
        CHECK(message_of(head + "alloc,a,0001\n").empty());
        CHECK(message_of(head + std::string("alloc,a\0,1\n", 11)) ==
              "2:7: found `a\\x00`, expected an id without blanks, commas or control characters");
        CHECK(message_of(head + "alloc," + std::string(100, 'a') + ",\n") == "2:108: found nothing" + bytes);
        CHECK(message_of(head + std::string(100, 'a') + ",,\n") ==
              "2:1: found `" + std::string(60, 'a') +
                  "...`, expected one of alloc, free, load, run, unload, pin, unpin, sync, import, work, wait");
        CHECK(message_of("op,id,bytes,tag\nalloc,a,1,\x01\n") ==
              "2:11: found `\\x01`, expected a tag without commas or control characters");
    }

    TEST_CASE("imports") {
        const std::string head = "op,id,bytes,offset\n";
        CHECK(
            in_words(read_right("op,offset,id,bytes,tag\nimport,4096,a,512,w\nunpin,,a\nimport,0,b,1\nfree,,b,1\n")) ==
            "import a 512 #w at 4096; unpin a; import b 1 at 0; free b 1; ");
        CHECK(message_of(head + "import,a,2,18446744073709551613\n").empty());
        CHECK(message_of(head + "import,a,18446744073709551615,0\n").empty());
        CHECK(message_of(wide + "alloc,a,1\n").empty());
    }

    TEST_CASE("operands: an output may take the id of a donor, and blanks may repeat") {
        const std::string head = "op,id,bytes,inputs,donated,outputs\nalloc,a,5\nalloc,b,5\nload,p,7\n";
        CHECK(message_of(head + "run,p,,,b,b:1\nrun,p,,b\n").empty());
        CHECK(message_of(head + "run,p,,  a   b  \n").empty());
    }

    TEST_CASE("files that cannot be read") {
        CHECK(read_file("no/such/file.csv").error().message() ==
              "cannot open no/such/file.csv: No such file or directory");
        CHECK(read_file(".").error().message() == "cannot open .: Is a directory");
    }

    TEST_CASE("a packed file may unpack to 256 times its size, and to 32 MiB in any case") {
        CHECK(most_unpacked(0) == 33'554'432);
        CHECK(most_unpacked(131'072) == 33'554'432);  // 256 times that
        CHECK(most_unpacked(131'073) == 33'554'688);
        CHECK(most_unpacked(~std::size_t{0} / 256 + 1) == ~std::size_t{0});
    }

    TEST_CASE("a large text grows through the portions of a file") {
        const std::string path = "test_read_csv_large.tmp";
        std::string text = "op,id,bytes\n";
        for (int count = 0; count < 200000; ++count) text += "alloc,buffer" + std::to_string(count) + ",4096\n";
        std::FILE* const file = std::fopen(path.c_str(), "wb");
        REQUIRE(file != nullptr);
        CHECK(std::fwrite(text.data(), 1, text.size(), file) == text.size());
        std::fclose(file);
        const auto read = read_file(path);
        REQUIRE(read.has_value());
        CHECK(read->rows.size() == 200000);
        CHECK(read->ids.back() == "buffer199999");
        std::remove(path.c_str());
    }
}

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
    }

    TEST_CASE("the offsets of a solution are left aside") {
        CHECK(read_right("id,lower,upper,size,offset\nb,2,4,10,512\na,0,4,20,0\n").rows ==
              read_right("id,lower,upper,size\nb,2,4,10\na,0,4,20\n").rows);
    }

    TEST_CASE("hostile times and sizes") {
        const workload made =
            read_right("id,lower,upper,size\na,0,18446744073709551615,18446744073709551615\nb,0,1,0\n");
        CHECK(made.rows.size() == 4);
        CHECK(made.times.back() == ~std::uint64_t{0});
    }
}

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
}

}  // namespace hbm::test::read_csv_tests
