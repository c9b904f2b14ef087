// Traces as they are read. The name of a section of reads.txt is a text, with \n for the ends of its lines; below it
// are its rows, or its error. A new section needs its name alone: HBM_WRITE_GOLDEN=1 writes the rest.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/csv/read.hpp"
#include "compare/text/gzip.hpp"
#include "support/golden_text.hpp"
#include "trace_helpers.hpp"

namespace hbm::test::read_csv_tests {

using namespace hbm::trace;

namespace {
const std::string header_words = "expected a header row: op,id,bytes (a trace), id,lower,upper,size (MiniMalloc) or "
                                 "Thread,Time,Action,Pointer,Size,Stream (an RMM log)";

/// Returns the error in a text; or its rows, with their times, their lines unless these follow one another, and more.
std::string described(const std::string& text) {
    if (const std::string message = message_of(text); !message.empty()) return message + '\n';
    const workload made = read_right(text);
    std::string words = in_words(made) + '\n';
    const auto list = [&](const char* title, const auto& numbers) {
        words += title;
        for (std::size_t at = 0; at < numbers.size(); ++at) words += ' ' + std::to_string(numbers[at]);
        words += '\n';
    };
    if (!made.times.empty()) list("times", made.times);
    if (!made.lines.empty() && made.lines.back() != made.lines.size() + 1) list("lines", made.lines);
    if (made.skipped != 0) words += "skipped " + std::to_string(made.skipped) + '\n';
    if (made.has_programs()) words += made.has_donations() ? "programs and donations\n" : "programs\n";
    return words;
}

}  // namespace

TEST_SUITE("trace read csv") {
    TEST_CASE("read_text: reads of each text what the golden file says, or has its error") {
        const std::string file = "compare/replay/reads.txt";
        for (const std::string& name : golden_sections(file)) {
            std::string text;
            for (std::size_t at = 0; at < name.size(); ++at)
                text += name.substr(at, 2) == "\\n" ? (++at, '\n') : name[at];
            const std::string words = described(text);
            CHECK_MESSAGE(words == golden_text(file, name, words), name);
        }
    }

    TEST_CASE("byte order mark, CRLF, comments, blank lines and a last line without an end") {
        const workload made =
            read_right("\xEF\xBB\xBF# comment\r\n\r\nop,id,bytes\r\n#x,y\r\nalloc,a,5\r\n  \r\nfree,a");
        CHECK(in_words(made) == "alloc a 5; free a -; ");
        CHECK(made.lines == std::vector<std::size_t>{5, 7});
        CHECK(read_right("op,id,bytes").rows.empty());
        CHECK(read_right("# only\nop,id,bytes\n").rows.empty());
    }

    TEST_CASE("a text without a header row") {
        CHECK(message_of(std::string("\0\0\x01", 3)) == "1:1: found `\\x00\\x00\\x01`, " + header_words);
    }

    TEST_CASE("a wrong header row") {
        const std::string columns =
            "expected the columns op,id,bytes,t,tag,inputs,donated,outputs,scratch,reload_us,offset,us";
        CHECK(message_of("\xEF\xBB\xBFid,x\n") == "1:7: found column `x`, " + columns);
    }

    TEST_CASE("wrong cells") {
        const std::string head = "op,id,bytes\n";
        const std::string bytes = ", expected bytes as an unsigned decimal number below 2^64";
        for (const char* const bad : {"-1", "+1", "1.5", "0x10", "1e3", " 1", "1 ", "4K", "18446744073709551616"}) {
            CHECK(message_of(head + "alloc,a," + bad + "\n") == std::string{"2:9: found `"} + bad + "`" + bytes);
        }
        CHECK(message_of(head + std::string("alloc,a\0,1\n", 11)) ==
              "2:7: found `a\\x00`, expected an id without blanks, commas or control characters");
        CHECK(message_of(head + "alloc," + std::string(100, 'a') + ",\n") == "2:108: found nothing" + bytes);
        CHECK(message_of(head + std::string(100, 'a') + ",,\n") ==
              "2:1: found `" + std::string(60, 'a') +
                  "...`, expected one of alloc, free, load, run, unload, pin, unpin, sync, import");
        CHECK(message_of("op,id,bytes,tag\nalloc,a,1,\x01\n") ==
              "2:11: found `\\x01`, expected a tag without commas or control characters");
    }

    TEST_CASE("files that cannot be read") {
        CHECK_THROWS_WITH((void)read_file("no/such/file.csv"),
                          "cannot open no/such/file.csv: No such file or directory");
        CHECK_THROWS_WITH((void)read_file("."), "cannot open .: Is a directory");
    }

    TEST_CASE("a packed file may unpack to 256 times its size, and to 32 MiB in any case") {
        CHECK(most_unpacked(0) == 33'554'432);
        CHECK(most_unpacked(131'072) == 33'554'432);  // 256 times that
        CHECK(most_unpacked(131'073) == 33'554'688);
        CHECK(most_unpacked(~std::size_t{0} / 256 + 1) == ~std::size_t{0});
    }
}

}  // namespace hbm::test::read_csv_tests
