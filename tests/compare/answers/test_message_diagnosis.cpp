// What messages mean, and how differences of rounded sizes are printed.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/remedies.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/message/message_samples.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/text.hpp"

namespace hbm::test::message_diagnosis_tests {

using namespace hbm::imported;

namespace {

rounded_size size(std::string_view text) {
    const std::optional<rounded_size> read = read_rounded_size(text);
    REQUIRE(read);
    return *read;
}
std::string less(std::string_view a, std::string_view b) {
    return in_words(difference(size(a), size(b)));
}
memory_message read(const std::string& text) {
    const reading<found_messages> found = read_messages("log", text);
    REQUIRE(found);
    REQUIRE(found->messages.size() == 1);
    return found->messages.front();
}
std::string buffer(const std::string& asked, const std::string& free, const std::string& largest = {}) {
    return "Error allocating device buffer: Attempting to allocate " + asked + ". That was not possible. There are " +
           free + " free." +
           (largest.empty() ? ""
                            : " The largest contiguous region of free memory is " + largest + " due to fragmentation.");
}
std::string reservation(const std::string& asked, const std::string& free, const std::string& reservable,
                        const std::string& reserved = "0B") {
    return "Error loading program 'p': Attempting to reserve " + asked +
           " at the bottom of memory. That was not possible. There are " + free + " free, " + reserved +
           " reserved, and " + reservable + " reservable.";
}
bool helps(const memory_message& from, std::string_view words) {
    for (const auto& [each, flag, value] : remedies_for(from, diagnose(from)))
        if (each.find(words) != std::string::npos) return true;
    return false;
}

}  // namespace

TEST_CASE("a rounded size is printed as it was read") {
    for (const std::string_view text : {"0B", "512B", "1023B", "4.0K", "1024.0K", "1.00M", "6.43M", "147.64M",
                                        "1023.99M", "15.75G", "215.17G", "3.84T", "3.47E", "15.99E", "2.00P"})
        CHECK(in_words(size(text)) == text);
    CHECK(in_words(size("107374182400")) == "100.00G");
}

TEST_CASE("differences have no digits that nobody read") {
    CHECK(less("8.00M", "6.43M") == "1.57M");
    CHECK(less("29.49G", "147.64M") == "29.35G");  // the coarser unit
    CHECK(less("1.96G", "1.75G") == "0.21G (0.20G to 0.22G)");
    CHECK(less("15.90G", "15.48G") == "0.42G (0.41G to 0.43G)");
    CHECK(less("1.15G", "1.13G") == "0.02G (0.01G to 0.03G)");
    // The larger may be up to 1.145G and 1 MiB that was dropped, the smaller 1.135G and less by nothing that shows.
    CHECK(less("1.14G", "1.13G") == "0.01G (at most 0.03G)");
    CHECK(less("8.0K", "7.5K") == "0.5K (0.4K to 0.6K)");
    CHECK(less("15.75G", "15.75G") == "at most 0.02G");    // 15.755G and 1 MiB less 15.745G: 0.011G
    CHECK(less("17179869184", "17177981952") == "1.80M");  // exact: a small difference of sizes that look alike
    CHECK(less("1.00G", "2.00G") == "0.00G");              // no less than 0
    CHECK(less("3.84T", "90.96G") == "3.75T");
    CHECK(less("16.00E", "1B").empty() == false);
    CHECK(in_words(sum(range_of(size("1.00G")), range_of(size("512.00M")))) == "1.50G");
    CHECK(sum(byte_range{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, 0}, byte_range{1, 1, 1, 0}).bytes ==
          ~std::uint64_t{0});
}

TEST_CASE("what certainly suffices") {
    const auto enough = [](std::string_view a, std::string_view b) {
        return enough_in_words(difference(size(a), size(b)));
    };
    CHECK(enough("1.15G", "1.13G") == "0.03G to be sure");
    CHECK(enough("1.96G", "1.75G") == "0.22G to be sure");
    CHECK(enough("96.00M", "41.50M") == "54.50M");
    CHECK(enough("17179869184", "17177981952") == "1.80M");
    // The bound is the same wherever it stands.
    for (const char* const free : {"1.15G", "1.14G", "1.13G", "1.12G"}) {
        const byte_range missing = difference(size("1.15G"), size(free));
        std::string bound = enough_in_words(missing);
        bound.resize(bound.find(' '));
        CHECK(in_words(missing).find(bound) != std::string::npos);
    }
}

TEST_CASE("a message that contradicts itself has no remedies") {
    const memory_message from =
        read("Ran out of memory in memory space hbm. Used 14.00G of 15.75G hbm. Exceeded hbm capacity by 2.25G. Total "
             "hbm usage >= 14.25G: reserved 256.00M program 6.00G arguments 8.00G");
    CHECK(remedies_for(from, diagnose(from)).empty());
}

TEST_CASE("remedies have the flag to set, and its value") {
    const remedy on_chip = remedies_for(read(samples::on_chip), diagnose(read(samples::on_chip))).front();
    CHECK(on_chip.flag == "--xla_tpu_scoped_vmem_limit_kib");
    CHECK(on_chip.value == "32768");
}

// XLA's page on E0101: smaller batch, sharding, shorter sequence, donation, tpu_shared_memory_percent, fewer loaded
// programs, no leaks. On E0100: the same without the flag and the programs, but saving weights alone, and padding.
TEST_CASE("a failed load or allocation gets every remedy that XLA's pages name, however much is missing") {
    const char* const of_both[] = {"smaller batch", "shorter sequence", "sharding", "donate_argnums", "del x"};
    for (const std::string& text : {reservation("29.49G", "147.64M", "147.64M"), reservation("6.48G", "6.78G", "3.33G"),
                                    reservation("6.00G", "2.00G", "2.00G", "3.00G")}) {
        CAPTURE(text);
        const memory_message from = read(text);
        for (const char* const words : of_both) CHECK(helps(from, words));
        CHECK(helps(from, "--tpu_shared_memory_percent=N"));
        CHECK(helps(from, "Keep fewer programs loaded"));
        CHECK(helps(from, "`jax.checkpoint`"));
    }
    for (const std::string& text :
         {buffer("8.00M", "6.43M"), buffer("9.00G", "6.43M"), buffer("2.50G", "5.25G", "2.25G")}) {
        CAPTURE(text);
        const memory_message from = read(text);
        for (const char* const words : of_both) CHECK(helps(from, words));
        CHECK(helps(from, "save the weights alone"));
        CHECK(helps(from, "multiples of 128 and 8"));
    }
}

TEST_CASE("donation is no remedy where arguments alone are too large, or where nothing is left to donate") {
    const memory_message from =
        read("Ran out of memory in memory space hbm. Used 49.34G of 32.00G hbm. Exceeded hbm capacity by 17.34G. Total "
             "hbm usage >= 49.34G: reserved 3.12M program unknown size arguments 49.34G");
    CHECK_FALSE(helps(from, "onate"));
    CHECK(helps(from, "over 2, each needs 24.67G, which fits into 32.00G"));
    for (const std::string& text :
         {samples::full_device, samples::in_pieces, samples::no_scratch, samples::blocked, samples::no_code}) {
        CHECK(helps(read(text), "donate_argnums"));
        for (const auto& [each, flag, value] : remedies_for(read(text), diagnose(read(text)), false))
            CHECK(each.find("onate") == std::string::npos);
    }
}

TEST_CASE("shares and factors") {
    CHECK(per_cent(1, 3) == 33);
    CHECK(per_cent(1, 0) == 0);
    CHECK(per_cent(~std::uint64_t{0}, 1) == 1'000'000'000);
    CHECK(shares_needed(10, 3) == 4);
    CHECK(shares_needed(9, 3) == 3);
    CHECK(shares_needed(9, 0) == 0);
    CHECK(shares_needed(~std::uint64_t{0}, 1) == ~std::uint64_t{0});
    CHECK(times_in_words(63, 10) == "6.3 times");
    CHECK(times_in_words(1, 0) == "many times");
    CHECK(times_in_words(1000, 1) == "1,000 times");
    CHECK(times_in_words(999, 1) == "999 times");
    CHECK(times_in_words(1239, 1) == "1,230 times");
    CHECK(times_in_words(size("3.47E").bytes, size("14.49G").bytes) == "257,000,000 times");
    CHECK(times_in_words(~std::uint64_t{0}, 1) == "18,400,000,000,000,000,000 times");
    CHECK(generations_with(size("96.00G")).empty());
    CHECK(generations_with(size("95.00G")) == "TPU v5p (95.74G, 0.74G left)");
}

TEST_CASE("paragraphs of at most 80 characters in a line") {
    CHECK(wrapped("") == "\n");
    CHECK(wrapped("a b", "  1. ") == "  1. a b\n");
    const std::string words(77, 'x');
    CHECK(wrapped(words + " 50 % of it") == words + "\n50 % of it\n");  // a number stays with its sign
    CHECK(wrapped(std::string(300, 'y') + " z") == std::string(300, 'y') + "\nz\n");
}

}  // namespace hbm::test::message_diagnosis_tests
