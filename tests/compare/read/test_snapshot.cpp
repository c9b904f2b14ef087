// Pickles and snapshots of PyTorch as they are read. A section of pickles.txt has the instructions of a pickle to a
// line,
// `---`, and what each is; a new section needs no more than its instructions: HBM_WRITE_GOLDEN=1 writes the rest.

#include <doctest/doctest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "compare/read/csv/read.hpp"
#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/read/torch/pickle.hpp"
#include "compare/read/torch/snapshot_trace.hpp"
#include "pickle_sample.hpp"
#include "support/golden_text.hpp"

namespace hbm::test::snapshot_tests {

namespace {

using namespace hbm::imported;
using kind = pickle_value::kind;

/// The data as words, at most five deep.
std::string words_of(const pickle_data& data, const pickle_value& value, int deep = 0) {
    if (deep == 5) return "...";
    std::string words;
    switch (value.what) {
    case kind::none: return "None";
    case kind::truth: return value.integer != 0 ? "True" : "False";
    case kind::integer: return std::to_string(value.integer);
    case kind::real: return std::to_string(value.real);
    case kind::text: return "'" + std::string(value.text()) + "'";
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

/// Returns the words for an instruction or several, in protocol 4.
std::string run(const std::string& instructions) {
    return read(sample::whole(instructions));
}

/// Returns the bytes of a line in which `\x8a` is a byte.
std::string bytes_of(const std::string& line) {
    std::string bytes;
    for (std::size_t at = 0; at < line.size(); ++at) {
        const bool is_escaped = line.compare(at, 2, "\\x") == 0;
        bytes += is_escaped ? static_cast<char>(std::stoi(line.substr(at + 2, 2), nullptr, 16)) : line[at];
        at += is_escaped ? 3 : 0;
    }
    return bytes;
}

TEST_CASE("pickles: each is what its golden file says") {
    check_golden_inputs("compare/read/pickles.txt", [](const std::string& section, const std::string& input) {
        std::istringstream lines(input);
        std::string text;
        for (std::string line; std::getline(lines, line);)
            text += line + " = " + (section == "whole files" ? read : run)(bytes_of(line)) + "\n";
        return text;
    });
}

TEST_CASE("pickles: of a key that comes twice the last value counts, as in Python") {
    const std::string twice = sample::whole("}(\x8c\x01kK\x01\x8c\x01kK\x02u");
    const auto data = read_pickle(twice, "f");
    REQUIRE(data);
    CHECK(data->find(data->root, "k")->integer == 2);
    CHECK(data->find(data->root, "l") == nullptr);
    CHECK(data->find(*data->find(data->root, "k"), "k") == nullptr);
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

memory_snapshot right(const std::string& bytes) {
    const auto result = read_snapshot(bytes, "s.pickle");
    REQUIRE_MESSAGE(result, result.error().message());
    return *result;
}

/// Returns the rows of a trace and its notes, or the error.
std::string described(const hbm::trace::read_result& made) {
    if (!made) return made.error().message() + "\n";
    std::string text = hbm::trace::to_csv(*made);
    for (const std::string& note : made->notes) text += "note: " + note + "\n";
    return made->skipped == 0 ? text : text + "skipped " + std::to_string(made->skipped) + "\n";
}

/// Returns all that is read in a snapshot, or the error.
std::string described(const std::string& bytes) {
    const auto result = read_snapshot(bytes, "s.pickle");
    if (!result) return result.error().message() + "\n";
    hbm::json_writer json;
    write_description(json, "s.pickle", *describe_snapshot(bytes, "s.pickle"));
    std::string text = json.text() + "\n";
    for (const std::uint64_t device : result->devices()) {
        const std::string name = std::to_string(device);
        text += "device " + name + ":\n" + described(trace_of(*result, "s.pickle", name)) +
                described(layout_of(*result, "s.pickle", name)) +
                "pins kept: " + described(layout_of(*result, "s.pickle", name, layout_pins::kept));
    }
    return text;
}

void check_text(const char* section, const std::string& text) {
    CHECK(text == golden_text("compare/read/snapshots.txt", section, text));
}

TEST_CASE("snapshots: traces, layouts and sums are those of the golden file") {
    using namespace sample;
    check_text("a small snapshot", described(small_snapshot()));
    check_text("a gap behind the blocks",
               described(snapshot({segment(0, 2048, {block(0, 512, 1, "active_allocated")})}, {})));
    check_text("contradictions",
               described(snapshot({segment(0x1000, 1024, {block(0x1000, 1024, 900, "active_allocated")})},
                                  {{entry("alloc", 0x1000, 500, 10), entry("alloc", 0x1000, 600, 8),
                                    entry("free_completed", 0x1000, 600, 12), entry("free_completed", 0x1000, 600, 13),
                                    entry("oom", 0, 123456, 14), entry("unheard_of", 1, 2, 15)}})));
    // Older files have no times, no addresses of blocks and no requested sizes.
    const auto old_block = [](std::uint64_t size, const std::string& state) {
        return dictionary({{"size", integer(size)}, {"state", text(state)}});
    };
    const std::string old = whole(dictionary(
        {{"segments",
          list({dictionary({{"address", integer(4096)},
                            {"total_size", integer(1536)},
                            {"blocks", list({old_block(512, "inactive"), old_block(1024, "active_allocated")})}})})},
         {"device_traces",
          list({list({dictionary({{"action", text("alloc")}, {"addr", integer(4608)}, {"size", integer(1000)}}),
                      dictionary({{"action", text("snapshot")}})})})}}));
    check_text("an older file", described(old));
    CHECK(right(old).segments[0].blocks[1].requested == 1024);
}

TEST_CASE("snapshots: one that is cut anywhere is an error") {
    const std::string whole = sample::small_snapshot();
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(read_snapshot(whole.substr(0, size), "f"));
}

TEST_CASE("snapshots: a device is chosen by its number, the first without one") {
    using namespace sample;
    const std::string bytes = snapshot({segment(0x1000, 512, {block(0x1000, 512, 10, "active_allocated")}, 2)},
                                       {{}, {entry("alloc", 0x1000, 7, 5)}, {}, {}});
    std::string text = described(bytes);
    for (const char* const name : {"", "2", "cuda:2", "0", "x", "18446744073709551616"})
        text += std::string("device '") + name + "': " + described(trace_of(right(bytes), "s.pickle", name));
    check_text("devices", text);
}

TEST_CASE("snapshots: errors are those of the golden file") {
    using namespace sample;
    const auto of_block = [](std::uint64_t size, const char* state) {
        return snapshot({segment(0, 512, {block(0, size, 1, state)})}, {});
    };
    // A million references to one list of a thousand entries are a file of two megabytes.
    const pickled once = list({entry("alloc", 1, 1, 1)}) + "\x94";
    std::string many = "](" + entry("alloc", 1, 1, 1) + "\x94";
    for (int i = 0; i < 100'000; ++i) many += std::string("h\0", 2);
    std::string text;
    for (const std::string& bytes :
         {whole("N"), whole(dictionary({{"segments", list({})}})), snapshot({sample::text("x")}, {}),
          snapshot({segment(~std::uint64_t{0}, 1, {})}, {}), of_block(1024, "inactive"),
          snapshot({segment(0, 512, {block(0, 256, 1, "inactive"), block(128, 256, 1, "inactive")})}, {}),
          of_block(256, "asleep"), snapshot({}, {{"N"}}),
          snapshot({}, {{dictionary({{"action", sample::text("alloc")}})}}),
          whole(dictionary({{"segments", list({})}, {"device_traces", list({"K\x01"})}})),
          snapshot({segment(0, 512, {block(0, 512, 1, "inactive")}, 1024)}, {}),
          snapshot({}, std::vector<std::vector<pickled>>(1025)),
          whole(dictionary({{"segments", list({})}, {"device_traces", "](" + once + std::string("h\0h\0h\0e", 7)}})),
          whole(dictionary({{"segments", list({})}, {"device_traces", list({many + "e"})}}))})
        text += described(bytes);
    check_text("errors", text);
    CHECK(right(snapshot({segment(0, 512, {block(0, 512, 1, "inactive")}, 1023)}, {})).crooked_segments == 0);
}

}  // namespace

}  // namespace hbm::test::snapshot_tests
