// The version as numbers and as text, which cannot differ.
#include <hbm/version.hpp>

#include <doctest/doctest.h>

#include <string>

namespace hbm::test::version_tests {

static_assert(version == HBM_VERSION);
static_assert(HBM_VERSION == HBM_VERSION_MAJOR * 10000 + HBM_VERSION_MINOR * 100 + HBM_VERSION_PATCH);

TEST_CASE("version: the text has the three numbers") {
    CHECK(HBM_VERSION_STRING == std::to_string(HBM_VERSION_MAJOR) + "." + std::to_string(HBM_VERSION_MINOR) + "." +
                                    std::to_string(HBM_VERSION_PATCH));
}

}  // namespace hbm::test::version_tests
