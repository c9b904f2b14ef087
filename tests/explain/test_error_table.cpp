#include <hbm/explain/message.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "support/golden_text.hpp"

namespace hbm::test::error_table_tests {

TEST_CASE("every error has a name of its own, a status, a message, and the runtime's number if it has one") {
    std::string text;
    std::set<std::string> names;
    int reason = 0;
    for (; std::string(error_name(static_cast<error>(reason))) != "unknown"; ++reason) {
        const failure why{.reason = static_cast<error>(reason)};
        const std::string name = error_name(why.reason);
        CHECK(names.insert(name).second);
        const std::string code = runtime_code(why.reason);
        text += name + ", status " + std::to_string(static_cast<int>(status_of(why.reason))) +
                (code.empty() ? "" : ", " + code) + "\n  " + message(why) + "\n";
        CHECK(message(why).starts_with(status_name(status_of(why.reason))));
    }
    CHECK(reason == static_cast<int>(error::device_failed) + 1);
    CHECK(text == golden_text("explain/errors.txt", "errors", text));
}

}  // namespace hbm::test::error_table_tests
