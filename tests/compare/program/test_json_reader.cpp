// The reader of JSON: what it accepts, and where it says that a text is none.

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "compare/read/json_reader.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm::test::json_reader_tests {

using namespace hbm;
using namespace hbm::compare;

namespace {

json_value read(std::string_view text) {
    json_value result;
    trace::read_error wrong;
    const bool is_json = read_json("f", text, result, wrong);
    REQUIRE_MESSAGE(is_json, wrong.message());
    return result;
}

std::string refused(std::string_view text) {
    json_value result;
    trace::read_error wrong;
    return read_json("f", text, result, wrong) ? "accepted" : wrong.message();
}

}  // namespace

TEST_CASE("every kind of value comes back as it was spelled") {
    const json_value all =
        read(" {\"a\": [1, -0, 1.250000, 1E+5, 18446744073709551616], \"b\":null,\n\"\":{}, \"c\" :true} ");
    CHECK(all.what == json_value::kind::object);
    REQUIRE(all.keys == std::vector<std::string>{"a", "b", "", "c"});
    const json_value& numbers = *all.find("a");
    REQUIRE(numbers.items.size() == 5);
    CHECK(numbers.items[1].text == "-0");
    CHECK(numbers.items[2].text == "1.250000");
    CHECK(numbers.items[3].text == "1E+5");
    CHECK(numbers.items[4].text == "18446744073709551616");
    CHECK(numbers.items[4].offset == 31);
    CHECK(all.find("b")->what == json_value::kind::null);
    CHECK(all.find("c")->text == "true");
    CHECK(all.find("d") == nullptr);
}

TEST_CASE("texts are unescaped, and what the writer wrote is read") {
    CHECK(read(R"("\"\\\/\b\f\n\r\tA\u00e9\u20AC\ud83d\ude00")").text ==
          "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    std::string all;
    for (int entry = 0; entry < 128; ++entry) all += static_cast<char>(entry);
    all += "\xc3\xa9\xf0\x9f\x98\x80";
    json_writer json;
    json.value(all);
    CHECK(read(json.text()).text == all);
}

TEST_CASE("what is no JSON is refused at its place") {
    const std::pair<const char*, const char*> texts[] = {
        {"", "f:1:1: found the end of the file, expected a JSON value"},
        {"{}\n x", "f:2:2: found `x`, expected the end of the file"},
        {"[1,\n2,]", "f:2:3: found `]`, expected a JSON value"},
        {"[1 2]", "f:1:4: found `2`, expected `,` or `]`"},
        {"{\"a\":1,}", "f:1:8: found `}`, expected a key in quotes"},
        {"{\"a\" 1}", "f:1:6: found `1`, expected `:`"},
        {"{\"a\":1,\"a\":2}", "f:1:8: found `\"a\"`, expected each key once"},
        {"{a:1}", "f:1:2: found `a`, expected a key in quotes"},
        {"01", "f:1:1: found `01`, expected a JSON value"},
        {"-", "f:1:1: found `-`, expected a JSON value"},
        {"1.", "f:1:1: found `1.`, expected digits after the point"},
        {".5", "f:1:1: found `.5`, expected a JSON value"},
        {"+1", "f:1:1: found `+1`, expected a JSON value"},
        {"1e", "f:1:1: found `1e`, expected digits of an exponent"},
        {"NaN", "f:1:1: found `NaN`, expected a JSON value"},
        {"truth", "f:1:1: found `truth`, expected a JSON value"},
        {"\"a", "f:1:3: found the end of the file, expected `\"`"},
        {"\"\n\"", "f:1:2: found a control character, expected an escape, such as \\n"},
        {"\"\\x\"", "f:1:2: found `\\x\"`, expected an escape, such as \\n"},
        {"\"\\u12g4\"", "f:1:2: found `\\u12g4\"`, expected \\u and four digits"},
        {"\"\\ud800\"", "f:1:8: found `\"`, expected the second half of a pair of \\u escapes"},
        {"\"\\udc00\"", "f:1:8: found `\"`, expected the first half of a pair of \\u escapes"},
        {"\xef\xbb\xbf{}", "f:1:1: found `\xef\xbb\xbf{`, expected a JSON value"},
    };
    for (const auto& entry : texts) {
        CAPTURE(entry.first);
        CHECK(refused(entry.first).starts_with(entry.second));
    }
    CHECK(refused(std::string("[1") + '\0' + "]") != "accepted");
}

TEST_CASE("depth is bounded, so that a hostile file cannot exhaust the stack") {
    CHECK(refused(std::string(64, '[') + std::string(64, ']')) == "accepted");
    CHECK(refused(std::string(1'000'000, '[')).find("at most 64 deep") != std::string::npos);
}

TEST_CASE("JSON: an object of many keys is read in the time of their number, and a key twice is an error") {
    std::string text = "{";
    for (int key = 0; key < 200'000; ++key) text += '"' + std::to_string(key) + "\":0,";
    CHECK(refused(text + "\"0\":0}").find("expected each key once") != std::string::npos);
}

TEST_CASE("every beginning of a result is refused, and no byte more is needed") {
    const std::string whole = "{\"schema\":\"hbm-compare/1\",\"rows\":[\n{\"a\":1.5,\"b\":null,\"c\":\"\\u0001\"}\n]}";
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK(refused(std::string_view(whole).substr(0, length)) != "accepted");
    CHECK(refused(whole) == "accepted");
}

}  // namespace hbm::test::json_reader_tests
