#include <hbm/explain/dump.hpp>
#include <hbm/explain/dump_text.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/explain/word_notes.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace hbm::test::word_notes_tests {

namespace {

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("only words that occur are explained, each once, and none inside another word") {
    CHECK(words_explained("").empty());
    CHECK(words_explained("nothing to say").empty());
    CHECK(words_explained("a wall beside a wall") ==
          "Words:\n  wall: a block that can now be neither moved nor evicted\n");
    CHECK(words_explained("wallpaper, wall_2, a 'firewall'").empty());
    CHECK(words_explained("E01011 E010").empty());
    CHECK(words_explained("wall").size() == words_explained("(wall)").size());
    const std::string both = words_explained("E0101 on device v5e: 3.00G reservable");
    CHECK(
        both.starts_with("Words:\n  E0101: the runtime's number for a program that cannot be loaded\n  reservable: "));
    CHECK(count_of(both, "\n") == 3);
}

TEST_CASE("the coordinates of a chip are taken apart") {
    const auto chip = [](std::string_view text) { return std::string(detail::chip_in(text)); };
    CHECK(chip("There are 6.43M free.; (0x0x1_HBM0)") == "0x0x1_HBM0");
    CHECK(chip("; (12x3x40_HBM1) and; (0x0x0_HBM0)") == "12x3x40_HBM1");
    for (const char* const none : {"", "; (", "; ()", "; (0x0x1_HBM)", "; (0x0_HBM0)", "; (x0x0_HBM0)", "0x0x0_HBM0",
                                   "; (0x0x0_HBM0", "; (0x0x0_HBM0a)", "; (0x0x0xHBM0)", "; (0x0x0_HBM0 )"}) {
        CAPTURE(none);
        // Without the bracket at the end it may still be what a cut message ends with.
        if (std::string_view(none) != "; (0x0x0_HBM0") CHECK(chip(none).empty());
    }
    CHECK(words_explained("; (12x3x40_HBM1)") ==
          "Words:\n  12x3x40_HBM1: the chip at x = 12, y = 3, z = 40 of the slice, and memory 1 on it\n");
}

TEST_CASE("explanations and dumps explain their words below; who joins them leaves that out and does it once") {
    manager<bottom_reserve<best_fit>, never_evict> memory{{.name = "small", .capacity = 100 * 512}};
    REQUIRE(memory.load({.name = "p", .code = 512, .scratch = 10 * 512}));
    REQUIRE(memory.allocate(20 * 512, "x"));
    const auto load = memory.load({.name = "r", .code = 512, .scratch = 90 * 512});
    REQUIRE_FALSE(load);
    const explanation why = explanation_of(memory, load.error());
    const std::string plain = to_text(why, word_notes::left_out);
    CHECK(to_text(why) == plain + words_explained(plain));
    CHECK(contains(to_text(why), "\n  reservable: "));
    CHECK(!contains(to_text(why), "\n  E0101: "));  // which only the dump prints
    CHECK(!contains(plain, "Words:"));

    const allocation_dump dumped = dump(memory, load.error());
    const std::string bare = to_text(dumped, word_notes::left_out);
    CHECK(to_text(dumped) == bare + "\n" + words_explained(bare));
    for (const char* const word :
         {"\n  E0101: ", "\n  reservable: ", "\n  reservation: ", "\n  quantum: ", "\n  wall: "})
        CHECK_MESSAGE(count_of(to_text(dumped), word) == 1, word);
    CHECK(!contains(to_text(dumped), "_HBM"));  // a load does not name the chip

    const auto buffer = memory.allocate(99 * 512, "y");
    const std::string text = explain(memory, buffer.error());
    CHECK(contains(text, "\n  0x0x0_HBM0: the chip at x = 0, y = 0, z = 0 of the slice, and memory 0 on it\n"));
    CHECK(!contains(text, "\n  reservable: "));
    // Nothing to explain, nothing below.
    CHECK(!contains(to_text(explanation_of(memory, request{.bytes = 512})), "Words:"));
}

TEST_CASE("a dump leaves out what says nothing") {
    manager<best_fit> memory{{.name = "small", .capacity = 100 * 512}};
    const auto failed = memory.allocate(101 * 512);
    const std::string text = to_text(dump(memory, failed.error()));
    for (const char* const empty : {"age unknown", "Programs", "Frees that wait", "Runs in flight", "Donated inputs"})
        CHECK_MESSAGE(!contains(text, empty), empty);
    // That nothing is allocated says something.
    CHECK(contains(text, "\nLargest allocations (none)\n"));
}

}  // namespace hbm::test::word_notes_tests
