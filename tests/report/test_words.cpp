// The expected texts are those that the runtime printed in public reports, or follow from its rules for sizes.

#include <hbm/report/words.hpp>

#include <doctest/doctest.h>

TEST_CASE("sizes are printed as the runtime prints them") {
    CHECK(hbm::size_in_words(0) == "0B");
    CHECK(hbm::size_in_words(1023) == "1023B");
    CHECK(hbm::size_in_words(1024) == "1.0K");
    CHECK(hbm::size_in_words(4096) == "4.0K");
    CHECK(hbm::size_in_words(1536) == "1.5K");
    CHECK(hbm::size_in_words(8u << 20) == "8.00M");
    CHECK(hbm::size_in_words(554'696'704) == "529.00M");
    CHECK(hbm::size_in_words(6'532'939'776) == "6.08G");
    CHECK(hbm::size_in_words(4'237'689'856) == "3.95G");
    CHECK(hbm::size_in_words(std::uint64_t{1} << 40) == "1.00T");
}

TEST_CASE("a unit is left only at 1024 times the next") {
    CHECK(hbm::size_in_words((1u << 20) - 1) == "1024.0K");
    CHECK(hbm::size_in_words((1u << 30) - 1) == "1024.00M");
    CHECK(hbm::size_in_words(~std::uint64_t{0}) == "16.00E");
}

TEST_CASE("ties between two printed digits go to the even one") {
    CHECK(hbm::size_in_words(1024 + 256) == "1.2K");  // 1.25
    CHECK(hbm::size_in_words(1024 + 768) == "1.8K");  // 1.75
}

TEST_CASE("a buffer that does not fit") {
    hbm::failure why{
        .reason = hbm::error::buffer_does_not_fit, .requested = 8u << 20, .free = 6'742'344, .largest_free = 6'742'344};
    CHECK(hbm::message(why) ==
          "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 8.00M. That was not possible. "
          "There are 6.43M free.; (0x0x0_HBM0)");
}

TEST_CASE("the sentence about fragmentation appears only when the free bytes were enough") {
    const std::uint64_t mebibyte = 1u << 20;
    hbm::failure why{.reason = hbm::error::buffer_does_not_fit,
                     .requested = 2007 * mebibyte,
                     .free = 3543 * mebibyte,
                     .largest_free = 1792 * mebibyte};
    CHECK(hbm::message(why) ==
          "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 1.96G. That was not possible. "
          "There are 3.46G free. The largest contiguous region of free memory is 1.75G due to fragmentation.; "
          "(0x0x0_HBM0)");
    why.free = why.requested - 512;
    CHECK(hbm::message(why).find("fragmentation") == std::string::npos);
}

TEST_CASE("a program fails at the bottom, or like a buffer") {
    const std::uint64_t free = 154'811'904;  // 147.64M
    hbm::failure why{.reason = hbm::error::scratch_does_not_fit,
                     .requested = 31'664'646'656,
                     .free = free,
                     .largest_free = free,
                     .reservable = free,
                     .at_the_bottom = true};
    CHECK(hbm::message(why, "jit_embedding_pipeline_step_fn") ==
          "RESOURCE_EXHAUSTED: Error loading program 'jit_embedding_pipeline_step_fn': Attempting to reserve 29.49G at "
          "the bottom of memory. "
          "That was not possible. There are 147.64M free, 0B reserved, and 147.64M reservable.");
    why = {.reason = hbm::error::code_does_not_fit,
           .requested = 1178u << 20,
           .free = 1157u << 20,
           .largest_free = 1157u << 20};
    CHECK(hbm::message(why, "jit_run_model_impl") ==
          "RESOURCE_EXHAUSTED: Error loading program 'jit_run_model_impl': Attempting to allocate "
          "1.15G. That was not possible. There are 1.13G free.");
}

TEST_CASE("every reason has words") {
    for (int reason = 0; reason <= static_cast<int>(hbm::error::device_failed); ++reason) {
        const hbm::failure why{.reason = static_cast<hbm::error>(reason)};
        CHECK(hbm::message(why, "p") != "UNKNOWN");
        CHECK(!hbm::message(why, "p").empty());
    }
}
