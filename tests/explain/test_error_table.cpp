#include <hbm/explain/message.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace hbm::test::error_table_tests {

TEST_CASE("every error has a status, and the numbers are the canonical ones") {
    const std::pair<error, status> expected[] = {
        {error::none, status::ok},
        {error::buffer_does_not_fit, status::resource_exhausted},
        {error::code_does_not_fit, status::resource_exhausted},
        {error::scratch_does_not_fit, status::resource_exhausted},
        {error::range_is_taken, status::failed_precondition},
        {error::size_too_large, status::resource_exhausted},
        {error::negative_size, status::invalid_argument},
        {error::bad_alignment, status::invalid_argument},
        {error::bad_quantum, status::invalid_argument},
        {error::bounce_too_large, status::invalid_argument},
        {error::too_many_quanta, status::invalid_argument},
        {error::top_too_large, status::invalid_argument},
        {error::no_devices, status::failed_precondition},
        {error::wrong_shares, status::invalid_argument},
        {error::stale_handle, status::invalid_argument},
        {error::foreign_handle, status::invalid_argument},
        {error::wrong_kind, status::invalid_argument},
        {error::not_pinned, status::failed_precondition},
        {error::too_many_pins, status::resource_exhausted},
        {error::donated_twice, status::invalid_argument},
        {error::donated_and_used, status::invalid_argument},
        {error::bad_argument, status::invalid_argument},
        {error::kept_twice, status::invalid_argument},
        {error::donor_is_referenced, status::invalid_argument},
        {error::alias_not_donated, status::invalid_argument},
        {error::alias_twice, status::invalid_argument},
        {error::alias_never_taken, status::invalid_argument},
        {error::alias_of_other_size, status::invalid_argument},
        {error::unknown_fence, status::invalid_argument},
        {error::device_failed, status::internal},
        {error::unknown_stream, status::invalid_argument},
    };
    REQUIRE(std::size(expected) == static_cast<std::size_t>(error::unknown_stream) + 1);
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        CHECK(expected[i].first == static_cast<error>(i));
        CHECK(status_of(expected[i].first) == expected[i].second);
    }
    CHECK(status_of(static_cast<error>(255)) == status::unknown);
    CHECK(static_cast<int>(status::ok) == 0);
    CHECK(static_cast<int>(status::unknown) == 2);
    CHECK(static_cast<int>(status::invalid_argument) == 3);
    CHECK(static_cast<int>(status::resource_exhausted) == 8);
    CHECK(static_cast<int>(status::failed_precondition) == 9);
    CHECK(static_cast<int>(status::internal) == 13);
}

TEST_CASE("a status has the name that messages begin with") {
    CHECK(std::string(status_name(status::ok)) == "OK");
    CHECK(std::string(status_name(status::unknown)) == "UNKNOWN");
    CHECK(std::string(status_name(status::invalid_argument)) == "INVALID_ARGUMENT");
    CHECK(std::string(status_name(status::resource_exhausted)) == "RESOURCE_EXHAUSTED");
    CHECK(std::string(status_name(status::failed_precondition)) == "FAILED_PRECONDITION");
    CHECK(std::string(status_name(status::internal)) == "INTERNAL");
    for (int reason = 1; reason <= static_cast<int>(error::unknown_stream); ++reason) {
        const failure why{.reason = static_cast<error>(reason)};
        const std::string start = std::string(status_name(status_of(why.reason))) + ": ";
        CHECK(message(why).substr(0, start.size()) == start);
    }
    CHECK(message({.reason = static_cast<error>(255)}) == "UNKNOWN");
}

TEST_CASE("the runtime's numbers, where it has one") {
    for (int reason = 0; reason <= static_cast<int>(error::unknown_stream); ++reason) {
        const auto why = static_cast<error>(reason);
        const std::string expected = why == error::buffer_does_not_fit                                       ? "E0100"
                                     : why == error::code_does_not_fit || why == error::scratch_does_not_fit ? "E0101"
                                     : why == error::alias_of_other_size                                     ? "E0102"
                                                                                                             : "";
        CHECK(runtime_code(why) == expected);
    }
}

TEST_CASE("every error has a name of its own") {
    std::vector<std::string> names;
    for (int reason = 0; reason <= static_cast<int>(error::unknown_stream); ++reason) {
        const std::string name = error_name(static_cast<error>(reason));
        CHECK(name != "unknown");
        for (const std::string& other : names) CHECK(other != name);
        names.push_back(name);
    }
    CHECK(names[0] == "none");
    CHECK(names.back() == "unknown_stream");
    CHECK(std::string(error_name(static_cast<error>(255))) == "unknown");
}

}  // namespace hbm::test::error_table_tests
