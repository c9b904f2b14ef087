// Shapes of arrays as they are read. A section of shapes.txt has a shape or a sharding to a line, `---`, and what is
// read in each. A new section needs no more than its lines: with HBM_WRITE_GOLDEN=1 the rest is written below them.

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/xla/shape.hpp"
#include "support/golden_text.hpp"

namespace hbm::test::shape_tests {

namespace {

using namespace hbm::imported;

std::string list_of(const std::vector<std::uint64_t>& numbers) {
    std::string text = "[";
    for (const std::uint64_t number : numbers) text += (text.size() == 1 ? "" : ",") + std::to_string(number);
    return text + "]";
}

std::string described(const array_shape& shape) {
    return shape.element + " " + list_of(shape.dimensions) + " minor to major " + list_of(shape.minor_to_major) +
           (shape.is_tiled() ? " tile " + list_of(shape.tile) : "") +
           (shape.memory_space == device_memory_space ? "" : " in memory " + std::to_string(shape.memory_space)) +
           ", " + std::to_string(unpadded_bytes(shape).value_or(0)) + " bytes, padded " +
           std::to_string(padded_bytes(shape).value_or(0));
}

std::string array_in(const std::string& text) {
    text_cursor cursor{std::string_view(text)};
    try {
        const array_shape shape = take_array(cursor);
        CHECK(read_array_shape(text).has_value() == cursor.done());
        return described(shape) + (cursor.done() ? "" : ", and more");
    } catch (const text_mistake& mistake) {
        return "at " + std::to_string(mistake.at) + ": expected " + mistake.expected;
    }
}

std::string tuple_in(const std::string& text) {
    const auto leaves = read_shape_leaves(text);
    if (!leaves) return "none";
    std::string words;
    for (const shape_leaf& leaf : *leaves) words += list_of(leaf.index) + " " + leaf.text + "; ";
    return words;
}

std::string share_in(const std::string& section, const std::string& sharding) {
    const std::optional<array_shape> whole = read_array_shape(section.substr(section.rfind(' ') + 1));
    REQUIRE(whole);
    const std::optional<array_shape> share = share_of(*whole, sharding);
    return (share ? described(*share) : "none") + " of " + std::to_string(devices_in(sharding)) + " devices";
}

}  // namespace

TEST_CASE("shapes: of each is read what its golden file says") {
    check_golden_inputs("compare/xla/shapes.txt", [](const std::string& section, const std::string& input) {
        std::istringstream lines(input);
        std::string text;
        for (std::string line; std::getline(lines, line);)
            text += line + " = " +
                    (section.starts_with("arrays")   ? array_in(line)
                     : section.starts_with("tuples") ? tuple_in(line)
                                                     : share_in(section, line)) +
                    "\n";
        return text;
    });
}

TEST_CASE("shapes: each of several arrays has its sharding") {
    CHECK(shardings_in("{replicated}", 1).size() == 1);
    CHECK(shardings_in("{{replicated}}", 1) == std::vector<std::string_view>{"{replicated}"});
    CHECK(shardings_in("{{replicated}, {devices=[2]<=[2]}}", 2)[1] == "{devices=[2]<=[2]}");
    CHECK(shardings_in("{{replicated}, {replicated}}", 3).empty());
    CHECK(shardings_in("{{replicated}, {replicated}}", 1).empty());
    CHECK(shardings_in("{replicated}", 2).empty());
}

TEST_CASE("nesting and number of arrays have bounds") {
    const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "s8[]" + std::string(depth, ')'); };
    CHECK(read_shape_leaves(nested(max_tuple_depth)));
    CHECK(!read_shape_leaves(nested(max_tuple_depth + 1)));
    CHECK(!read_shape_leaves(std::string(10'000'000, '(')));
    std::string many = "(s8[]";
    for (std::size_t at = 1; at < max_tuple_leaves; ++at) many += ",s8[]";
    CHECK(read_shape_leaves(many + ")"));
    CHECK(!read_shape_leaves(many + ",s8[])"));
}

}  // namespace hbm::test::shape_tests
