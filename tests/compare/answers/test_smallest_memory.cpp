// The simplest memory that agrees with a message: the same request fails there, with the same words.

#include <hbm/explain/ledger.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "compare/answers/message/drawing.hpp"
#include "compare/answers/message/smallest_memory.hpp"
#include "compare/message/message_samples.hpp"
#include "compare/read/message/read.hpp"

namespace hbm::test::smallest_memory_tests {

using namespace hbm::imported;

namespace {

memory_message read(const std::string& text) {
    const outcome<found_messages> found = read_messages("log", text);
    REQUIRE_MESSAGE(found, text);
    REQUIRE_MESSAGE(found->messages.size() == 1, text);
    return found->messages.front();
}

/// Builds the memory and checks that its message is the text that was given.
drawn_memory rebuilt(const std::string& text) {
    const std::optional<drawn_memory> drawn = smallest_memory(read(text));
    REQUIRE_MESSAGE(drawn, text);
    CHECK(drawn->dumped.message == text);
    return *drawn;
}

std::string shortage(std::uint64_t asked, std::uint64_t free) {
    return "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate " + hbm::size_in_words(asked) +
           ". That was not possible. There are " + hbm::size_in_words(free) + " free.; (0x0x0_HBM0)";
}
std::string pieces(std::uint64_t asked, std::uint64_t free, std::uint64_t largest) {
    std::string text = shortage(asked, free);
    text.resize(text.size() - std::string("; (0x0x0_HBM0)").size());
    return text + " The largest contiguous region of free memory is " + hbm::size_in_words(largest) +
           " due to fragmentation.; (0x0x0_HBM0)";
}
std::string reservation(std::uint64_t asked, std::uint64_t free, std::uint64_t reserved, std::uint64_t reservable) {
    return "RESOURCE_EXHAUSTED: Error loading program 'step': Attempting to reserve " + hbm::size_in_words(asked) +
           " at the bottom of memory. That was not possible. There are " + hbm::size_in_words(free) + " free, " +
           hbm::size_in_words(reserved) + " reserved, and " + hbm::size_in_words(reservable) + " reservable.";
}

}  // namespace

TEST_CASE("a shortage: one block, and room for the request if that were gone") {
    const drawn_memory drawn = rebuilt(samples::full_device);
    CHECK(drawn.blocks == 1);
    CHECK(drawn.walls == 0);
    CHECK(hbm::size_in_words(drawn.capacity) == "96.00M");
    CHECK(drawn.quantum == 512);
    CHECK(drawn.explained.trouble == hbm::cause::too_little_free);
    CHECK(drawn.dumped.map.find('b') != std::string::npos);
    CHECK(drawn.dumped.map.find('#') == std::string::npos);  // what else is in use can be moved, which does not help
}

TEST_CASE("fragmentation: as few pieces as possible, and what lies between them cannot be moved") {
    const drawn_memory drawn = rebuilt(samples::in_pieces);  // 5.25G in pieces of at most 2.25G: 3 pieces
    CHECK(drawn.blocks == 2);
    CHECK(drawn.walls == 2);
    CHECK(drawn.explained.trouble == hbm::cause::scattered);
    CHECK(drawn.explained.conclusion == hbm::verdict::found);
    CHECK(in_words(drawn, read(samples::in_pieces)).find("once what is in the way is gone from there") !=
          std::string::npos);
}

TEST_CASE("a reservation at the bottom") {
    CHECK(rebuilt(samples::no_scratch).blocks == 1);
    const drawn_memory drawn = rebuilt(samples::blocked);
    CHECK(drawn.blocks == 1);
    CHECK(drawn.walls == 1);
    CHECK(hbm::size_in_words(drawn.first_wall) == "2.75G");
    CHECK(drawn.explained.trouble == hbm::cause::capped_bottom);
    CHECK(rebuilt(reservation(6'957'847'019, 7'279'970'713, 0, 3'575'560'274)).blocks == 1);
    // With what another program has reserved; that program can be thrown out, and still it does not fit.
    const drawn_memory shared = rebuilt(reservation(5u << 20, 3u << 20, 1u << 20, 2u << 20));
    CHECK(shared.blocks == 3);  // its code and its scratch, and what lies in the way
}

TEST_CASE("the code of a program") {
    CHECK(rebuilt(samples::no_code).blocks == 1);
}

TEST_CASE("the ledger of a failed load comes out again, to the byte") {
    const std::optional<drawn_memory> drawn = smallest_memory(read(samples::ledger));
    REQUIRE(drawn);
    CHECK(to_text(drawn->dumped.ledger) == samples::ledger.substr(0, samples::ledger.find("Total hbm")));
}

TEST_CASE("sizes that are no multiples of 512 take a smaller quantum") {
    CHECK(rebuilt(shortage(300, 204)).quantum == 4);
    CHECK(rebuilt(shortage(300, 201)).quantum == 1);
    CHECK(rebuilt(shortage(8u << 20, 0)).blocks == 1);
    CHECK(rebuilt(shortage(1, 0)).blocks == 1);
    CHECK(rebuilt(pieces(1000, 2000, 999)).quantum == 1);
    // More than 32-bit quanta of 512 bytes count.
    CHECK(rebuilt(shortage(std::uint64_t{3} << 40, 1u << 30)).quantum == 8192);
    CHECK(rebuilt(shortage(std::uint64_t{1} << 60, std::uint64_t{1} << 40)).quantum > 8192);
    CHECK_FALSE(smallest_memory(read(shortage(~std::uint64_t{0}, 204))));
}

TEST_CASE("sizes that print alike become bytes that differ") {
    const std::string alike = shortage(1'234'803'098, 1'234'803'098);  // printed the same, and still too little
    CHECK(rebuilt(alike).blocks == 1);
    CHECK(rebuilt(pieces(1'234'803'098, 1'234'803'098, 1'073'741'824)).blocks == 1);
    CHECK(rebuilt(pieces(1'234'803'098, 2'234'803'098, 1'234'803'098)).blocks == 1);
    // Where a unit begins, the numbers that print alike are far from the bounds of the rounded text.
    for (unsigned shift = 10; shift <= 40; ++shift) {
        CAPTURE(shift);
        for (const std::uint64_t more : {0U, 1U, 2U, 3U}) {
            const std::uint64_t bytes = (std::uint64_t{1} << shift) + (more << (shift - 2));
            CHECK(rebuilt(shortage(bytes, bytes)).blocks == 1);
            CHECK(rebuilt(pieces(bytes, 2 * bytes, bytes)).blocks >= 1);
            CHECK(rebuilt(pieces(bytes, bytes, bytes / 2)).blocks >= 1);
        }
    }
}

TEST_CASE("multiples that print alike are found by bisection, as by trying all") {
    for (const char* const text : {"1.0K", "1.5K", "1023.5K", "1024.0K", "1.00M", "1.01M", "7B", "4096B", "0.1K"}) {
        const auto size = read_rounded_size(text);
        REQUIRE(size);
        for (const std::uint64_t quantum : {1U, 4U, 512U, 4096U, 65536U}) {
            CAPTURE(text);
            CAPTURE(quantum);
            std::optional<std::uint64_t> first;
            std::optional<std::uint64_t> last;
            std::optional<std::uint64_t> closest;
            const auto apart = [&](std::uint64_t a) { return a > size->bytes ? a - size->bytes : size->bytes - a; };
            for (std::uint64_t each = size->low / quantum * quantum; each <= size->high; each += quantum) {
                if (!prints_like(each, *size)) continue;
                if (!first) first = each;
                last = each;
                if (!closest || apart(each) < apart(*closest)) closest = each;
            }
            CHECK(bytes_like(*size, quantum, pick::smallest) == first);
            CHECK(bytes_like(*size, quantum, pick::largest) == last);
            CHECK(bytes_like(*size, quantum, pick::closest) == closest);
        }
    }
}

TEST_CASE("no memory for messages that contradict themselves or say too little") {
    CHECK_FALSE(smallest_memory(read(shortage(1u << 20, 2u << 20))));          // enough, and no word of pieces
    CHECK_FALSE(smallest_memory(read(pieces(3u << 20, 2u << 20, 1u << 20))));  // too little, and yet pieces
    CHECK_FALSE(smallest_memory(read(pieces(1u << 20, 4u << 20, 2u << 20))));  // the piece is long enough
    CHECK_FALSE(smallest_memory(read(pieces(2u << 20, 4u << 20, 0))));         // pieces of nothing
    CHECK_FALSE(smallest_memory(read(pieces(1u << 20, 1u << 30, 512))));       // two million pieces
    CHECK_FALSE(smallest_memory(read(reservation(1u << 20, 4u << 20, 0, 2u << 20))));
    CHECK_FALSE(smallest_memory(read(reservation(4u << 20, 1u << 20, 0, 2u << 20))));  // more in one piece than in all
    CHECK_FALSE(smallest_memory(read(samples::compile)));
    CHECK_FALSE(smallest_memory(read(samples::early)));
    CHECK_FALSE(smallest_memory(read("Attempting to allocate 8.00M. That was not possible.")));
}

TEST_CASE("any failure of the model comes out again from its message alone") {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        hbm::testing::random_numbers random(seed);
        const auto some = [&](std::uint64_t below) { return (random.below(below) + 1) * 512; };
        const std::uint64_t free = some(std::uint64_t{1} << (2 + seed % 22));
        const std::uint64_t asked = free + some(1 + free / 512);
        rebuilt(shortage(asked, free));
        const std::uint64_t largest = std::max<std::uint64_t>(512, free / (2 + random.below(20)) / 512 * 512);
        const std::string text = pieces(largest + (free - largest) / 2, free, largest);
        if (free > 2 * largest) rebuilt(text);
        if (free > largest) rebuilt(reservation(asked, free, 0, largest));
    }
}

// The headline and the drawing are of one failure: the memory that is drawn says why, and how much is missing there.
TEST_CASE("what a message is said to mean is what fails in the memory that is drawn") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        hbm::testing::random_numbers random(seed);
        const auto some = [&] { return (random.below(std::uint64_t{1} << 14) + 1) << 20; };
        const std::uint64_t reserved = some();
        const std::uint64_t reservable = some();
        const std::uint64_t free = reservable + (random.below(2) == 0 ? 0 : some());
        const std::uint64_t asked = reserved + reservable + some();
        const memory_message from = read(reservation(asked, free, reserved, reservable));
        const std::optional<drawn_memory> drawn = smallest_memory(from);
        REQUIRE(drawn);
        const diagnosis found = diagnose(from);
        const bool is_crowded = drawn->explained.trouble == hbm::cause::too_little_free;
        CHECK((is_crowded || drawn->explained.trouble == hbm::cause::capped_bottom));
        CHECK(found.what == (is_crowded ? trouble::crowded : trouble::blocked_bottom));
        REQUIRE(found.missing);
        CHECK(found.missing->low <= drawn->explained.shortfall);
        CHECK(drawn->explained.shortfall <= found.missing->high);
        CHECK(in_words(*drawn, from).find("Tried there, it fits") != std::string::npos);
    }
}

TEST_CASE("what a program needs, drawn to scale") {
    CHECK(drawing_of_program(read(samples::compile)) ==
          "What the program needs, from 0 to 18.00G:\n"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa+ttttttttttttttttttttttttttttttttttttttttttttttttttttttt\n"
          "                                                          here the device ends: 15.75G ^\n"
          "a arguments, t temporaries, + more than one of: arguments, constants and the like, temporaries\n");
    CHECK(drawing_of_program(read(samples::early)).empty());
    CHECK(drawing_of_program(read(samples::full_device)).empty());
}

}  // namespace hbm::test::smallest_memory_tests
