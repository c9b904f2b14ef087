// What steers a terminal does not reach it: on stdout and stderr.
#include <doctest/doctest.h>

#include <string>

#include "compare/program/compare_program.hpp"
#include "compare/text/text.hpp"

namespace hbm::test::terminal_text_tests {

using compare::terminal_text;

TEST_CASE("control characters are escaped, of one byte and of two, and letters are not") {
    CHECK(trace::printable("a\x1b[31mb\x07\x7f\r\n\t") == "a\\x1b[31mb\\x07\\x7f\\x0d\\x0a\\x09");
    CHECK(trace::printable("a\nb\tc\x1b", "\n\t") == "a\nb\tc\\x1b");
    CHECK(trace::printable("\xc2\x9b"
                           "31m") == "\\xc2\\x9b31m");  // CSI as a character of its own
    CHECK(trace::printable("\xc3\xa9\xc2\xa9\xe2\x82\xac\xc2") == "\xc3\xa9\xc2\xa9\xe2\x82\xac\xc2");
    CHECK(trace::printable("") == "");
    CHECK(trace::quoted("\x1b]0;x") == "`\\x1b]0;x`");
}

TEST_CASE("of a text with colours those of tables stay, and no others") {
    CHECK(terminal_text("\x1b[1mA\x1b[0m\n\x1b[32m1\x1b[0m") == "\\x1b[1mA\\x1b[0m\n\\x1b[32m1\\x1b[0m");
    CHECK(terminal_text("\x1b[1mA\x1b[0m\n\x1b[32m1\x1b[0m", true) == "\x1b[1mA\x1b[0m\n\x1b[32m1\x1b[0m");
    CHECK(terminal_text("\x1b[8mA\x1b[2J\x1b", true) == "\\x1b[8mA\\x1b[2J\\x1b");
    CHECK(terminal_text("\x1b\x1b[0m\x1b[", true) == "\\x1b\x1b[0m\\x1b[");
}

TEST_CASE("a file whose name steers a terminal") {
    const workplace here;
    const std::string name = "a\x1b[31mred\x1b]0;title\x07.csv";
    const std::string shown = "a\\x1b[31mred\\x1b]0;title\\x07.csv";
    const std::string quoted = "'" + name + "'";
    here.write(name, "op,id,bytes,tag\nalloc,a,5000,t\nalloc,b,7000,u\nfree,a,,\n");
    const auto is_clean = [](const ending& ended) {
        return ended.out.find('\x1b') == std::string::npos && ended.out.find('\x07') == std::string::npos &&
               ended.err.find('\x1b') == std::string::npos && ended.err.find('\x07') == std::string::npos;
    };
    for (const char* const how : {"--rounds 0 --manager best_fit", "--rounds 0 --manager best_fit --format md",
                                  "--rounds 0 --manager best_fit --capacity 8192 --on-oom -", "--growth",
                                  "--rounds 0 --recommend --manager best_fit --capacity 16384"}) {
        CAPTURE(how);
        const ending ended = here.run("--trace " + quoted + " " + how);
        CHECK(ended.status == 0);
        CHECK(is_clean(ended));
    }
    CHECK(here.run("--rounds 0 --manager best_fit --trace " + quoted).out.find(shown) != std::string::npos);

    here.write(name, "op,id,bytes\nalloc,a,x\n");
    const ending wrong = here.run("--trace " + quoted);
    CHECK(wrong.status == 2);
    CHECK(wrong.err.find(shown + ":2:9: found `x`") != std::string::npos);
    CHECK(is_clean(wrong));

    here.write(name, "step,bytes_in_use\n1,5\n0,5\n0,5\n");
    CHECK(is_clean(here.run("--growth --trace " + quoted)));
    CHECK(is_clean(here.run("--trace " + quoted)));
    CHECK(is_clean(here.run("--message " + quoted)));
    CHECK(is_clean(here.run("--describe " + quoted)));
    CHECK(is_clean(here.run("--program " + quoted)));
    CHECK(is_clean(here.run("merge " + quoted)));
    here.write(name,
               "Error loading program 'jit_\x1b[31mx': Attempting to reserve 29.49G at the bottom of memory. That was "
               "not possible. There are 1.00G free, 0B reserved, and 1.00G reservable.\n");
    CHECK(is_clean(here.run("--message " + quoted)));
    CHECK(is_clean(here.run("--trace " + quoted)));
}

TEST_CASE("progress names a workload without what steers a terminal, but for its own line") {
    const workplace here;
    here.write("a\x1b[31m.csv", "op,id,bytes\nalloc,a,5000\n");
    const ending ended = here.run("--rounds 0 --manager best_fit --progress always --trace 'a\x1b[31m.csv'");
    CHECK(ended.status == 0);
    CHECK(ended.err.find("a\\x1b[31m.csv under ") != std::string::npos);
    CHECK(ended.err.find("\x1b[31m") == std::string::npos);
}

}  // namespace hbm::test::terminal_text_tests
