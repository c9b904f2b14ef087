// What people see, and that it is the same every time.

#include <doctest/doctest.h>

#include <string>

#include "compare/jobs/progress.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/text/text.hpp"
#include "compare_program.hpp"

namespace hbm::test::output_tests {

TEST_CASE("training takes every donation that is legal; without, a step needs a second copy of the state") {
    const workplace here;
    const std::string json = here.run("--workload transformer_training:fused=1,layers=4,steps=4,batch=1,eval_every=0 "
                                      "--manager best_fit --manager best_fit/never_evict/donate_same_size "
                                      "--capacity unlimited --format json")
                                 .out;
    const std::string donating = "best_fit/never_evict/donate_same_size";
    // In each of four steps the weights and both moments of four layers of four parts and of the embedding, and of five
    // slopes those four that have a successor.
    CHECK(value_of(json, donating, "donations_offered") == std::to_string(4 * (17 * 3 + 5)));
    CHECK(value_of(json, donating, "donations_taken") == std::to_string(4 * (17 * 3 + 4)));
    // Twelve bytes a weight. They come while the activations of the peak are gone, which is a little less.
    const std::uint64_t state = 12ull * (4 * 12 * 2048 * 2048 + 32000 * 2048);
    const std::uint64_t with = std::stoull(value_of(json, donating, "peak_live_bytes"));
    const std::uint64_t without = std::stoull(value_of(json, "best_fit", "peak_live_bytes"));
    CHECK(without - with > state * 9 / 10);
    CHECK(without - with <= state);
}

TEST_CASE("the default comparison is 40 lines of 100 columns, and begins with a line for each workload") {
    const workplace here;
    const std::string usual = here.run("").out;
    CHECK(count_of(usual, "\n") <= 40);
    CHECK(longest_line(usual) <= 100);
    for (const char* name : {"\ntpu::runtime_memory ", "\nbest_fit ", "\nbuddy ", "\nxla_bfc ", "\ntorch_caching "})
        CHECK(count_of(usual, name) == 1);
    const std::string answer = usual.substr(0, usual.find("\n\n", usual.find("\n\n") + 1));
    for (const char* workload : {"transformer_training ", "llm_serving ", "resnet18_sgd ", "gnn_subgraphs "})
        CHECK(count_of(answer, "\n" + std::string(workload) + " ") + count_of(answer, workload) >= 1);
    CHECK(count_of(answer, "; ") >= 4);
}

using compare::terminal_text;

TEST_CASE("control characters are escaped, of one byte and of two, and letters are not") {
    CHECK(trace::printable("a\x1b[31mb\x07\x7f\r\n\t") == "a\\x1b[31mb\\x07\\x7f\\x0d\\x0a\\x09");
    CHECK(trace::printable("a\nb\tc\x1b", "\n\t") == "a\nb\tc\\x1b");
    CHECK(trace::printable("\xc2\x9b"
                           "31m") == "\\xc2\\x9b31m");  // CSI as a character of its own
    CHECK(trace::printable("\xc3\xa9\xc2\xa9\xe2\x82\xac") == "\xc3\xa9\xc2\xa9\xe2\x82\xac");
    CHECK(trace::printable("\xc2\x9b\x9bm\xc2") == "\\xc2\\x9b\xef\xbf\xbdm\xef\xbf\xbd");
    CHECK(trace::printable("") == "");
    CHECK(trace::quoted("\x1b]0;x") == "`\\x1b]0;x`");
}

TEST_CASE("quoted: a long text is cut between characters, after they are escaped") {
    const std::string letters(60, 'a');
    CHECK(trace::quoted(letters) == "`" + letters + "`");
    CHECK(trace::quoted(letters + "b") == "`" + letters + "...`");
    CHECK(trace::quoted(letters.substr(1) + "\xc3\xa9") == "`" + letters.substr(1) + "...`");
    CHECK(trace::quoted(std::string(100, '\x7f')).size() == 2 + 60 + 3);
    CHECK(trace::quoted("\xc2\xc2\x9b\xff") == "`\xef\xbf\xbd\\xc2\\x9b\xef\xbf\xbd`");
}

TEST_CASE("long lines are broken between words, and further lines hang below their text") {
    using compare::fold_lines;
    CHECK(fold_lines("one two three\nfour\n", 40) == "one two three\nfour\n");
    CHECK(fold_lines("one two three four", 9) == "one two\n  three\n  four");
    CHECK(fold_lines("  --option    the meaning of it", 30) == "  --option    the meaning of\n              it");
    CHECK(fold_lines("abcdefghij", 4) == "abcd\nefgh\nij");
    CHECK(fold_lines("\xc3\xa9\xc3\xa9\xc3\xa9", 2) == "\xc3\xa9\xc3\xa9\n\xc3\xa9");
    CHECK(fold_lines("", 4) == "");
}

TEST_CASE("a close name is one swap or a beginning away, and short words have none") {
    const std::string names[] = {"--help", "--html", "--perfetto", "-o"};
    const auto near = [&](const char* word) {
        return trace::nearest_words(word, names, [](const std::string& name) -> std::string_view { return name; });
    };
    CHECK(near("--hepl") == "; did you mean `--help`?");
    CHECK(near("--perf") == "; did you mean `--perfetto`?");
    CHECK(near("-x") == ".");
    CHECK(trace::edit_distance("ab", "ba") == 1);
    CHECK(trace::edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("of a text with colours those of tables stay, and no others") {
    CHECK(terminal_text("\x1b[1mA\x1b[0m\n\x1b[32m1\x1b[0m") == "\\x1b[1mA\\x1b[0m\n\\x1b[32m1\\x1b[0m");
    CHECK(terminal_text("\x1b[1mA\x1b[0m\n\x1b[32m1\x1b[0m", true) == "\x1b[1mA\x1b[0m\n\x1b[32m1\x1b[0m");
    CHECK(terminal_text("\x1b[8mA\x1b[2J\x1b", true) == "\\x1b[8mA\\x1b[2J\\x1b");
    CHECK(terminal_text("\x1b\x1b[0m\x1b[", true) == "\\x1b\x1b[0m\\x1b[");
}

using namespace hbm::compare;

TEST_CASE("globs") {
    static_assert(glob_matches("", ""));
    static_assert(!glob_matches("", "a"));
    static_assert(glob_matches("*", ""));
    static_assert(glob_matches("*", "a/b"));
    static_assert(glob_matches("a*c", "abcabc"));
    static_assert(!glob_matches("a*c", "abcab"));
    static_assert(glob_matches("*fit*/evict_*", "compacting<best_fit>/evict_lru/donate_fitting"));
    static_assert(glob_matches("**a?", "xab"));
    static_assert(!glob_matches("?", ""));
    static_assert(!glob_matches("best_fit", "best_fit/evict_lru"));
    static_assert(!glob_matches("buddy?", "buddy"));
    CHECK(glob_matches("b*d*y", "buddy"));
}

TEST_CASE("progress has a bar, and an estimate only if there is one") {
    CHECK(progress_line(50, 12, "t.csv under best_fit", 80) ==
          "[##########..........]  50 % about 12 s left, t.csv under best_fit");
    CHECK(progress_line(7, {}, "t.csv", 80) == "[#...................]   7 % t.csv");
    CHECK(progress_line(100, {}, "t.csv under best_fit", 30).size() == 30);
}

TEST_CASE("numbers in words") {
    CHECK(six_decimals(hbm::trace::fraction{1'024'500}) == "1.024500");
    CHECK(six_decimals(hbm::trace::fraction{}) == "0.000000");
    CHECK(six_decimals(31.25) == "31.250000");
    CHECK(rounded({1'999'500}, 2) == "2.00");
    CHECK(rounded({1'004'999}, 2) == "1.00");
    CHECK(rounded({49}, 4) == "0.0000");
    CHECK(rounded({2'500'000}, 0) == "3");
    CHECK(percent({123'456}) == "12.3 %");
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(18'446'744'073'709'551'615u) == "18,446,744,073,709,551,615");
    CHECK(counted(1, "move") == "1 move");
    CHECK(counted(2000, "move") == "2,000 moves");
    CHECK(duration(999) == "999 us");
    CHECK(duration(1500) == "1.5 ms");
    CHECK(duration(2'500'000) == "2.50 s");
}

}  // namespace hbm::test::output_tests
