#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "compare/read/torch/pickle.hpp"
#include "pickle_sample.hpp"

namespace hbm::test::pickle_tests {

namespace {

using namespace hbm::imported;
using namespace std::string_literals;
using kind = pickle_value::kind;

/// The data as words, at most five deep.
std::string words_of(const pickle_data& data, const pickle_value& value, int deep = 0) {
    if (deep == 5) return "...";
    std::string words;
    switch (value.what) {
    case kind::none:
        return "None";
    case kind::truth:
        return value.integer != 0 ? "True" : "False";
    case kind::integer:
        return std::to_string(value.integer);
    case kind::real:
        return std::to_string(value.real);
    case kind::text:
        return "'" + std::string(value.text()) + "'";
    case kind::list:
    case kind::tuple:
        for (const pickle_value& each : data.items(value)) words += words_of(data, each, deep + 1) + " ";
        return value.what == kind::list ? "[" + words + "]" : "(" + words + ")";
    case kind::dictionary:
        for (const pickle_value& each : data.pairs(value)) words += words_of(data, each, deep + 1) + " ";
        return "{" + words + "}";
    }
    return "?";
}

std::string read(const std::string& bytes) {
    const auto data = read_pickle(bytes, "f.pickle");
    return data ? words_of(*data, data->root) : data.error().message();
}

/// The words for an instruction or several, in protocol 4.
std::string run(const std::string& instructions) {
    return read(sample::whole(instructions));
}

TEST_CASE("every opcode of plain data") {
    CHECK(run("N") == "None");
    CHECK(run("\x88") == "True");
    CHECK(run("\x89") == "False");
    CHECK(run("K\xff") == "255");
    CHECK(run("M\xff\xff") == "65535");
    CHECK(run("J\xfe\xff\xff\xff") == "-2");
    CHECK(run("J\xff\xff\xff\x7f") == "2147483647");
    CHECK(run("\x8a\x00"s) == "0");
    CHECK(run("\x8a\x01\xff") == "-1");
    CHECK(run("\x8a\x02\xff\x00"s) == "255");
    CHECK(run("\x8a\x06\x01\x02\x03\x04\x05\x06") == "6618611909121");
    CHECK(run(sample::integer(std::uint64_t{1} << 63U)) == std::to_string(std::numeric_limits<std::int64_t>::min()));
    CHECK(run("G\x3f\xf8\0\0\0\0\0\0"s) == "1.500000");
    CHECK(run("\x8c\x02hi") == "'hi'");
    CHECK(run("X\x02\0\0\0hi"s) == "'hi'");
    CHECK(run("\x8d\x02\0\0\0\0\0\0\0hi"s) == "'hi'");
    CHECK(run("]K\x01"
              "aK\x02"
              "a") == "[1 2 ]");
    CHECK(run("](K\x01K\x02"
              "e") == "[1 2 ]");
    CHECK(run("(K\x01K\x02l") == "[1 2 ]");
    CHECK(run("}\x8c\x01kNs") == "{'k' None }");
    CHECK(run("}(\x8c\x01kN\x8c\x01l\x88u") == "{'k' None 'l' True }");
    CHECK(run("(\x8c\x01kNd") == "{'k' None }");
    CHECK(run(")") == "()");
    CHECK(run("K\x01\x85") == "(1 )");
    CHECK(run("K\x01K\x02\x86") == "(1 2 )");
    CHECK(run("K\x01K\x02K\x03\x87") == "(1 2 3 )");
    CHECK(run("(K\x01K\x02K\x03K\x04t") == "(1 2 3 4 )");
    CHECK(run("\x95\x01\0\0\0\0\0\0\0N"s) == "None");
    CHECK(run("](\x8c\x01x\x94h\0h\0e"s) == "['x' 'x' 'x' ]");
    CHECK(run("](\x8c\x01xq\0h\0e"s) == "['x' 'x' ]");
    CHECK(run("](\x8c\x01xr\x01\0\0\0j\x01\0\0\0e"s) == "['x' 'x' ]");
    for (char protocol = 2; protocol <= 5; ++protocol) CHECK(read(sample::whole("N", protocol)) == "None");
}

TEST_CASE("what is shared is filled for all") {
    // The list is remembered while it is empty, as Python does it.
    CHECK(run("]\x94(K\x01"
              "e}\x8c\x01xh\0s\x8c\x01yh\0s\x86"s) == "([1 ] {'x' [1 ] 'y' [1 ] } )");
    CHECK(run("]\x94h\0a"s) == "[[[[[... ] ] ] ] ]");  // contains itself
    const std::string twice = sample::whole("}(\x8c\x01kK\x01\x8c\x01kK\x02u");
    const auto data = read_pickle(twice, "f");
    REQUIRE(data);
    CHECK(data->find(data->root, "k")->integer == 2);  // as in Python, the last value counts
    CHECK(data->find(data->root, "l") == nullptr);
    CHECK(data->find(*data->find(data->root, "k"), "k") == nullptr);
}

TEST_CASE("nothing in a pickle is called") {
    const std::string refused = "expected dictionaries, lists, texts and numbers only: nothing in the file is called";
    CHECK(run("cos\nsystem\n") ==
          "f.pickle: found an object that is more than plain data (opcode 0x63) at byte 2, " + refused);
    CHECK(run("\x8c\x02os\x8c\x06system\x93") ==
          "f.pickle: found an object that is more than plain data (opcode 0x93) at byte 14, " + refused);
    for (const char code : std::string("Rbio\x81\x92\x82\x83\x84PQ")) {
        CAPTURE(code);
        CHECK(run(std::string("N)") + code).find(refused) != std::string::npos);
    }
    CHECK(run("\x8f") == "f.pickle: found opcode 0x8f at byte 2, expected an opcode of plain data");  // EMPTY_SET
    CHECK(run(std::string(1, '\0')) == "f.pickle: found opcode 0x00 at byte 2, expected an opcode of plain data");
}

TEST_CASE("damaged pickles") {
    CHECK(read("") == "f.pickle: found no pickle of protocol 2 to 5 at byte 0, expected what "
                      "torch.cuda.memory._dump_snapshot writes");
    CHECK(read("\x80\x06N.").find("no pickle of protocol 2 to 5") != std::string::npos);
    CHECK(read("\x80\x04N") == "f.pickle: found the end in the middle of an opcode at byte 3, expected a whole pickle");
    CHECK(run("").find("an opcode for values that are not there at byte 2") != std::string::npos);
    CHECK(run("\x85").find("values that are not there") != std::string::npos);
    CHECK(run("N(\x85").find("values that are not there") != std::string::npos);  // not across a mark
    CHECK(run("e").find("above a mark that is not there") != std::string::npos);
    CHECK(run("t").find("above a mark that is not there") != std::string::npos);
    CHECK(run("NNa").find("a list or dictionary that is not there") != std::string::npos);
    CHECK(run("]N(NNu").find("a list or dictionary that is not there") != std::string::npos);
    CHECK(run("}(Nu").find("a key without a value") != std::string::npos);
    CHECK(run("(Nd").find("a key without a value") != std::string::npos);
    CHECK(run("h\x05").find("value number 5, which nothing was remembered under") != std::string::npos);
    CHECK(run("Nr\xff\xff\xff\xff").find("a value to remember under number 4294967295") != std::string::npos);
    CHECK(run("\x8a\x09\0\0\0\0\0\0\0\0\0"s).find("a number of more than 8 bytes") != std::string::npos);
    CHECK(run("X\xff\xff\xff\x7f").find("a text that is longer than the file") != std::string::npos);
    CHECK(run("\x8d\xff\xff\xff\xff\xff\xff\xff\xff").find("a text that is longer than the file") != std::string::npos);
}

TEST_CASE("deep and greedy pickles") {
    std::string nested;
    for (int i = 0; i < 100'000; ++i) nested += ']';
    for (int i = 0; i < 99'999; ++i) nested += 'a';
    CHECK(run(nested).find("[[[[[") == 0);
    CHECK(run(std::string(100'000, '(') + "N") == "None");
    // Lists that take 40 times the size of their file.
    CHECK(run(std::string(2'000'000, ']')).find("data that needs too much memory") != std::string::npos);
}

}  // namespace

}  // namespace hbm::test::pickle_tests
