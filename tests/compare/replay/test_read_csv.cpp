#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "trace_helpers.hpp"

namespace hbm::test::read_csv_tests {

using namespace hbm::trace;

namespace {
const std::string wide = "op,id,bytes,t,tag,inputs,donated,outputs,scratch,reload_us\n";
const std::string header_words = "expected a header row: op,id,bytes (a trace), id,lower,upper,size (MiniMalloc) or "
                                 "Thread,Time,Action,Pointer,Size,Stream (an RMM log)";
}  // namespace

TEST_SUITE("trace read csv") {
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
        CHECK(message_of("op,id,bytes,scratch\nload,p,1,2\nload,p,3,2\n") ==
              "3:8: found 3 bytes, expected 1 bytes as when it was loaded, or an unload before");
        CHECK(message_of("op,id,bytes,scratch\nload,p,1,2\nload,p,1\n") ==
              "3:9: found 0 bytes, expected 2 bytes as when it was loaded, or an unload before");
    }

    TEST_CASE("a text without a header row") {
        CHECK(message_of("") == "1:1: found an empty file, " + header_words);
        CHECK(message_of("# a\n\n") == "3:1: found the end of the file, " + header_words);
        CHECK(message_of("alloc,1,2\n") == "1:1: found `alloc,1,2`, " + header_words);
        CHECK(message_of(std::string("\0\0\x01", 3)) == "1:1: found `\\x00\\x00\\x01`, " + header_words);
    }

    TEST_CASE("a wrong header row") {
        const std::string columns =
            "expected the columns op,id,bytes,t,tag,inputs,donated,outputs,scratch,reload_us,offset";
        CHECK(message_of("op,id,bytes,colour\n") == "1:13: found column `colour`, " + columns);
        CHECK(message_of("op,id,bytes,\n") == "1:13: found nothing, " + columns);
        CHECK(message_of("op,i d,bytes\n") == "1:4: found column `i d`, " + columns);
        CHECK(message_of("\n#\nop,id,bytes,t,id\n") == "3:15: found column `id` twice, expected each column once");
        CHECK(message_of("op,id,t\n") == "1:1: found no column `bytes`, expected the columns op,id,bytes");
        CHECK(message_of("\xEF\xBB\xBFid,x\n") == "1:7: found column `x`, " + columns);
        CHECK(message_of("op,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n") == "1:4: found column `1`, " + columns);
    }

    TEST_CASE("wrong cells") {
        const std::string head = "op,id,bytes\n";
        CHECK(message_of(head + "alloc,a,1,\n") ==
              "2:11: found an extra cell ``, expected at most 3 cells, as in the header row");
        CHECK(message_of(head + "alloc,a,1\nfree,a,1,9\n") ==
              "3:10: found an extra cell `9`, expected at most 3 cells, as in the header row");
        CHECK(message_of(head + "grow,a,1\n") ==
              "2:1: found `grow`, expected one of alloc, free, load, run, unload, pin, unpin, sync, import");
        CHECK(message_of(head + ",a,1\n") ==
              "2:1: found nothing, expected one of alloc, free, load, run, unload, pin, unpin, sync, import");
        const std::string bytes = ", expected bytes as an unsigned decimal number below 2^64";
        CHECK(message_of(head + "alloc,a\n") == "2:8: found nothing" + bytes);
        CHECK(message_of(head + "alloc,a,\n") == "2:9: found nothing" + bytes);
        for (const char* const bad : {"-1", "+1", "1.5", "0x10", "1e3", " 1", "1 ", "4K", "18446744073709551616"}) {
            CHECK(message_of(head + "alloc,a," + bad + "\n") == std::string{"2:9: found `"} + bad + "`" + bytes);
        }
        CHECK(message_of(head + "alloc,a,18446744073709551615\n").empty());
        CHECK(message_of(head + "alloc,a,0001\n").empty());
        CHECK(message_of(head + "alloc,a,1\nfree,a,x\n") == "3:8: found `x`" + bytes);
        CHECK(message_of(head + "alloc,,1\n") ==
              "2:7: found nothing, expected an id without blanks, commas or control characters");
        CHECK(message_of(head + "alloc,a b,1\n") ==
              "2:7: found `a b`, expected an id without blanks, commas or control characters");
        CHECK(message_of(head + std::string("alloc,a\0,1\n", 11)) ==
              "2:7: found `a\\x00`, expected an id without blanks, commas or control characters");
        CHECK(message_of(head + "alloc," + std::string(100, 'a') + ",\n") == "2:108: found nothing" + bytes);
        CHECK(message_of(head + std::string(100, 'a') + ",,\n") ==
              "2:1: found `" + std::string(60, 'a') +
                  "...`, expected one of alloc, free, load, run, unload, pin, unpin, sync, import");
        CHECK(message_of("op,id,bytes,tag\nalloc,a,1,\x01\n") ==
              "2:11: found `\\x01`, expected a tag without commas or control characters");
    }

    TEST_CASE("cells that an operation does not use") {
        const std::pair<std::string, std::string> cases[] = {
            {"op,id,bytes\nsync,a\n", "2:6: found `a`, expected an empty cell: sync takes no id"},
            {"op,id,bytes\nload,p,1\nrun,p,0\n", "3:7: found `0`, expected an empty cell: run takes no bytes"},
            {wide + "alloc,a,1,,,x\n", "2:13: found `x`, expected an empty cell: alloc takes no inputs"},
            {wide + "alloc,a,1,,,,x\n", "2:14: found `x`, expected an empty cell: alloc takes no donated"},
            {wide + "alloc,a,1,,,,,x:1\n", "2:15: found `x:1`, expected an empty cell: alloc takes no outputs"},
            {wide + "alloc,a,1,,,,,,1\n", "2:16: found `1`, expected an empty cell: alloc takes no scratch"},
            {wide + "load,p,1\nrun,p,,,,,,,,1\n", "3:14: found `1`, expected an empty cell: run takes no reload_us"},
        };
        for (const auto& [given, expected] : cases) CHECK(message_of(given) == expected);
    }

    TEST_CASE("imports") {
        const std::string head = "op,id,bytes,offset\n";
        CHECK(
            in_words(read_right("op,offset,id,bytes,tag\nimport,4096,a,512,w\nunpin,,a\nimport,0,b,1\nfree,,b,1\n")) ==
            "import a 512 #w at 4096; unpin a; import b 1 at 0; free b 1; ");
        CHECK(message_of(head + "import,a,512\n") ==
              "2:13: found nothing, expected an offset in bytes as an unsigned decimal number below 2^64");
        CHECK(message_of("op,id,bytes\nimport,a,512\n") ==
              "2:13: found nothing, expected an offset in bytes as an unsigned decimal number below 2^64");
        CHECK(message_of(head + "import,a,512,x\n") ==
              "2:14: found `x`, expected an offset in bytes as an unsigned decimal number below 2^64");
        CHECK(message_of(head + "import,a,,0\n") ==
              "2:10: found nothing, expected bytes as an unsigned decimal number below 2^64");
        CHECK(message_of(head + "import,a,0,0\n") == "2:10: found 0 bytes, expected a range of at least a byte");
        CHECK(message_of(head + "import,a,2,18446744073709551613\n").empty());
        CHECK(message_of(head + "import,a,2,18446744073709551614\n") ==
              "2:12: found offset 18446744073709551614, expected at most 18446744073709551613, so that the "
              "range ends below 2^64 bytes");
        CHECK(message_of(head + "import,a,18446744073709551615,0\n").empty());
        CHECK(message_of(head + "import,a,512,0\nimport,a,512,512\n") ==
              "3:8: found id `a` of a live buffer, expected an id that is not in use");
        CHECK(message_of(head + "import,a,512,0\nunpin,a\nunpin,a\n") ==
              "4:7: found buffer `a`, which is not pinned, expected a pinned buffer");
        CHECK(message_of(head + "alloc,a,512,0\n") == "2:13: found `0`, expected an empty cell: alloc takes no offset");
        CHECK(message_of(wide + "alloc,a,1\n").empty());
    }

    TEST_CASE("times") {
        CHECK(message_of("op,id,bytes,t\nsync,,,5\nsync,,,4\n") ==
              "3:8: found time 4 after 5, expected times that never fall");
        CHECK(message_of("op,id,bytes,t\nsync,,,-5\n") ==
              "2:8: found `-5`, expected microseconds as an unsigned decimal number below 2^64");
        CHECK(message_of("op,id,bytes,t\nsync,,,1.5\n") ==
              "2:8: found `1.5`, expected microseconds as an unsigned decimal number below 2^64");
    }

    TEST_CASE("rows that make no sense") {
        const std::string head = "op,id,bytes,inputs,donated,outputs\nalloc,a,5\nalloc,b,5\nload,p,7\n";
        const auto after = [&](const std::string& row) { return message_of(head + row + "\n"); };
        CHECK(after("alloc,a,5") == "5:7: found id `a` of a live buffer, expected an id that is not in use");
        CHECK(after("alloc,p,5") == "5:7: found id `p` of a program, expected an id that is not in use");
        CHECK(after("unload,p\nalloc,p,5") == "6:7: found id `p` of a program, expected an id that is not in use");
        CHECK(after("load,a,5") == "5:6: found id `a` of a live buffer, expected an id that is not in use");
        CHECK(after("free,x") == "5:6: found id `x`, which is not live, expected a live buffer");
        CHECK(after("free,a\nfree,a") == "6:6: found id `a`, which is not live, expected a live buffer");
        CHECK(after("free,p") == "5:6: found id `p` of a program, expected a live buffer");
        CHECK(after("free,a,6") == "5:8: found 6 bytes, expected 5 bytes as allocated, or an empty cell");
        CHECK(after("pin,x") == "5:5: found id `x`, which is not live, expected a live buffer");
        CHECK(after("pin,p") == "5:5: found id `p` of a program, expected a live buffer");
        CHECK(after("unpin,a") == "5:7: found buffer `a`, which is not pinned, expected a pinned buffer");
        CHECK(after("pin,a\nfree,a\nunpin,a") == "7:7: found id `a`, which is not live, expected a live buffer");
        CHECK(after("unload,x") ==
              "5:8: found id `x`, which was never loaded, expected a program that an earlier row loads");
        CHECK(after("unload,p\nunload,p") == "6:8: found program `p`, which is not loaded, expected a loaded program");
        CHECK(after("unload,a") == "5:8: found id `a` of a live buffer, expected a program that an earlier row loads");
        CHECK(after("run,x") ==
              "5:5: found id `x`, which was never loaded, expected a program that an earlier row loads");
        CHECK(after("free,a\nrun,a") ==
              "6:5: found id `a`, which was never loaded, expected a program that an earlier row loads");
    }

    TEST_CASE("operands that make no sense") {
        const std::string head = "op,id,bytes,inputs,donated,outputs\nalloc,a,5\nalloc,b,5\nload,p,7\n";
        const auto after = [&](const std::string& row) { return message_of(head + row + "\n"); };
        CHECK(after("run,p,,a x") == "5:8: found id `x`, which is not live, expected a live buffer");
        CHECK(after("run,p,,p") == "5:8: found id `p` of a program, expected a live buffer");
        CHECK(after("run,p,,,x") == "5:9: found id `x`, which is not live, expected a live buffer");
        CHECK(after("run,p,,a,b a") ==
              "5:10: found `a`, which is an input of the same run, expected a donated buffer that is no input");
        CHECK(after("run,p,,,a b a") == "5:9: found `a` twice, expected each donated buffer once");
        CHECK(after("run,p,,a,b,c:1 a:1") == "5:12: found id `a` of a live buffer, expected an id that is not in use");
        CHECK(after("run,p,,a,b,p:1") == "5:12: found id `p` of a program, expected an id that is not in use");
        CHECK(after("run,p,,a,b,c:1 c:1") == "5:12: found `c` twice, expected each output once");
        CHECK(after("run,p,,,b,b:1 b:1") == "5:11: found `b` twice, expected each output once");
        CHECK(after("run,p,,,b,b:1\nrun,p,,b").empty());
        CHECK(after("run,p,,,b\nrun,p,,b") == "6:8: found id `b`, which is not live, expected a live buffer");
        const std::string pair = ", expected id:bytes with an unsigned decimal number below 2^64";
        CHECK(after("run,p,,,,c") == "5:10: found output `c`" + pair);
        CHECK(after("run,p,,,,c:") == "5:10: found output `c:`" + pair);
        CHECK(after("run,p,,,,c:-1") == "5:10: found output `c:-1`" + pair);
        CHECK(after("run,p,,,,c: 1") == "5:10: found output `c:`" + pair);
        CHECK(after("run,p,,,,:1") ==
              "5:10: found nothing, expected an id without blanks, commas or control characters");
        CHECK(after("run,p,,  a   b  ").empty());
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
        CHECK(message_of("id,lower,upper,size\na,5,9,1\na,1,6,2\n") ==
              "2:1: found id `a` of a live buffer, expected an id that is not in use");
    }

    TEST_CASE("malformed rows") {
        const std::string head = "id,lower,upper,size\n";
        const std::string time = ", expected a time as an unsigned decimal number below 2^64";
        CHECK(message_of(head + "a,-1,5,1\n") == "2:3: found `-1`" + time);
        CHECK(message_of(head + "a,0,x,1\n") == "2:5: found `x`" + time);
        CHECK(message_of(head + "a,0\n") == "2:4: found nothing" + time);
        CHECK(message_of(head + "a,0,1,-1\n") ==
              "2:7: found `-1`, expected bytes as an unsigned decimal number below 2^64");
        CHECK(message_of(head + "a,5,4,1\n") ==
              "2:5: found `4`, expected an upper time that is not below the lower one");
        CHECK(message_of(head + ",1,4,1\n") == "2:1: found nothing, expected an id");
        CHECK(message_of(head + ",1,1,1\n") == "2:1: found nothing, expected an id");
        CHECK(message_of(head + "a b,1,4,1\n") ==
              "2:1: found `a b`, expected an id without blanks, commas or control characters");
        CHECK(message_of(head + "a,1,4,1,1\n") ==
              "2:9: found an extra cell `1`, expected at most 4 cells, as in the header row");
    }

    TEST_CASE("the offsets of a solution are left aside") {
        CHECK(read_right("id,lower,upper,size,offset\nb,2,4,10,512\na,0,4,20,0\n").rows ==
              read_right("id,lower,upper,size\nb,2,4,10\na,0,4,20\n").rows);
    }

    TEST_CASE("malformed headers") {
        CHECK(message_of("id,lower,upper\n") ==
              "1:1: found no column `size`, expected the columns id,lower,upper,size");
        CHECK(message_of("id,lower,upper,size,gaps\n") ==
              "1:21: found column `gaps`, expected the columns id,lower,upper,size,offset");
        CHECK(message_of("id,lower,upper,size,lower\n") ==
              "1:21: found column `lower` twice, expected each column once");
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
        CHECK(message_of(head + "1,1,allocate,0x0,5,0\n") == "2:14: found `0x0`, expected the address of a buffer");
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
              "2:5: found `grow`, expected one of allocate, allocate failure, free");
        CHECK(message_of(head + "1,1,allocate,0xa,-1,0\n") ==
              "2:18: found `-1`, expected bytes as an unsigned decimal number below 2^64");
        CHECK(message_of(head + "1,1,allocate,0xa\n") ==
              "2:17: found nothing, expected bytes as an unsigned decimal number below 2^64");
        CHECK(message_of(head + "1,1,allocate,,1,0\n") ==
              "2:14: found nothing, expected an id without blanks, commas or control characters");
        CHECK(message_of(head + "1,1,free,0xa,1,0\n") ==
              "2:10: found id `0xa`, which is not live, expected a live buffer");
        CHECK(message_of(head + "1,1,allocate,0xa,1,0\n1,1,allocate,0xa,1,0\n") ==
              "3:14: found id `0xa` of a live buffer, expected an id that is not in use");
        CHECK(message_of(head + "1,1,allocate,0xa,1,0\n1,1,free,0xa,2,0\n") ==
              "3:14: found 2 bytes, expected 1 bytes as allocated, or an empty cell");
        CHECK(message_of("Thread,Time,Action,Pointer,Stream\n") ==
              "1:1: found no column `Size`, expected the columns Action,Pointer,Size");
    }
}

}  // namespace hbm::test::read_csv_tests
