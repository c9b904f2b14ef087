#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "compare/read/csv/read.hpp"
#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/read/torch/pickle.hpp"
#include "compare/read/torch/snapshot_trace.hpp"
#include "pickle_sample.hpp"

namespace hbm::test::snapshot_tests {

namespace {

using namespace hbm::imported;
using namespace std::string_literals;
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

using namespace hbm::imported;

memory_snapshot right(const std::string& bytes) {
    const auto read = read_snapshot(bytes, "s.pickle");
    REQUIRE_MESSAGE(read, read.error().message());
    return *read;
}

std::string message_of(const std::string& bytes) {
    const auto read = read_snapshot(bytes, "s.pickle");
    return read ? std::string() : read.error().message();
}

hbm::trace::workload traced(const std::string& bytes, std::string_view device = {}) {
    const auto made = trace_of(right(bytes), "s.pickle", device);
    REQUIRE_MESSAGE(made, made.error().message());
    return *made;
}

TEST_CASE("a snapshot as a trace") {
    const auto made = traced(sample::small_snapshot());
    CHECK(hbm::trace::to_csv(made) == "t,op,id,bytes,tag\n"
                                      "0,alloc,b10000_0,1000,empty (empty.py:7)\n"
                                      "0,alloc,b30000_0,70,older than the trace\n"
                                      "3,free,b30000_0\n"
                                      "5,alloc,b20000_0,300,train_step (train.py:12)\n"
                                      "7,free,b20000_0\n"
                                      "10,alloc,b20000_1,500,train_step (train.py:12)\n"
                                      "20,alloc,b20600_0,2500,empty (empty.py:7)\n");
    CHECK(made.notes.empty());
    CHECK(made.skipped == 0);
}

TEST_CASE("sums of a snapshot") {
    const memory_snapshot read = right(sample::small_snapshot());
    CHECK(read.crooked_segments == 0);
    const snapshot_sums sums = trace_device(read, 0, "s").sums;
    CHECK(sums.live_before == 2);
    CHECK(sums.live_before_bytes == 1070);
    CHECK(sums.peak_bytes == 4000);
    CHECK(sums.live_after_bytes == 4000);
    CHECK(sums.active_bytes == 4000);
    CHECK(sums.lost_frees == 0);
    CHECK(sums.stray_frees == 0);
}

TEST_CASE("a snapshot as a layout") {
    const auto made = layout_of(right(sample::small_snapshot()), "s.pickle");
    REQUIRE(made);
    const std::string rows = "op,id,bytes,tag,offset\n"
                             "import,block1,1024,empty (empty.py:7),0\n"
                             "import,block2,512,train_step (train.py:12),1024\n"
                             "import,block3,2560,,2560\n";
    CHECK(hbm::trace::to_csv(*made) == rows + "unpin,block1\nunpin,block2\nunpin,block3\n");
    const auto fixed = layout_of(right(sample::small_snapshot()), "s.pickle", {}, layout_pins::kept);
    CHECK(hbm::trace::to_csv(*fixed) == rows);
    REQUIRE(fixed->notes.size() == 1);
    CHECK(fixed->notes[0] ==
          "the segments have 5.0K together, the capacity that this layout had: pass it as --capacity 5120");
}

TEST_CASE("a segment with a gap after its blocks") {
    const memory_snapshot read =
        right(sample::snapshot({sample::segment(0, 2048, {sample::block(0, 512, 1, "active_allocated")})}, {}));
    CHECK(read.crooked_segments == 1);
    const auto made = layout_of(read, "s");
    REQUIRE(made->notes.size() == 2);
    CHECK(made->notes[1] == "the blocks of 1 segments do not add up to the size of the segment: blocks are missing");
}

TEST_CASE("devices of a snapshot") {
    using namespace sample;
    const std::string bytes = snapshot({segment(0x1000, 512, {block(0x1000, 512, 10, "active_allocated")}, 2)},
                                       {{}, {entry("alloc", 0x1000, 7, 5)}, {}, {}});
    CHECK(right(bytes).devices() == std::vector<std::uint64_t>{1, 2});
    CHECK(hbm::trace::to_csv(traced(bytes)) == "t,op,id,bytes\n0,alloc,b1000_0,7\n");
    REQUIRE(traced(bytes).notes.size() == 2);
    CHECK(traced(bytes).notes[1] == "the snapshot has 2 devices, and this is device 1; choose another with --device");
    CHECK(hbm::trace::to_csv(traced(bytes, "2")) == "op,id,bytes,tag\nalloc,b1000_0,10,older than the trace\n");
    CHECK(hbm::trace::to_csv(traced(bytes, "cuda:2")) == hbm::trace::to_csv(traced(bytes, "2")));
    CHECK(trace_of(right(bytes), "s", "0").error().message() ==
          "s: found no device `0`, expected one of the devices of the snapshot: 1, 2");
    CHECK_FALSE(trace_of(right(bytes), "s", "x"));
    CHECK_FALSE(trace_of(right(bytes), "s", "18446744073709551616"));
}

TEST_CASE("what a snapshot says against itself is reported") {
    using namespace sample;
    const std::string bytes = snapshot(
        {segment(0x1000, 1024, {block(0x1000, 1024, 900, "active_allocated")})},
        {{entry("alloc", 0x1000, 500, 10), entry("alloc", 0x1000, 600, 8), entry("free_completed", 0x1000, 600, 12),
          entry("free_completed", 0x1000, 600, 13), entry("oom", 0, 123456, 14), entry("unheard_of", 1, 2, 15)}});
    const auto made = traced(bytes);
    CHECK(hbm::trace::to_csv(made) == "t,op,id,bytes\n0,alloc,b1000_0,500\n0,free,b1000_0\n0,alloc,b1000_1,600\n"
                                      "2,free,b1000_1\n");
    CHECK(made.skipped == 1);
    REQUIRE(made.notes.size() == 5);
    CHECK(made.notes[0] == "the last allocation that failed requested 123456 bytes");
    CHECK(made.notes[1] ==
          "after the last entry 0 requested bytes are live, but the active blocks of the snapshot hold "
          "900: entries are missing");
    CHECK(made.notes[2].find("1 allocations at an address where a buffer was live") == 0);
    CHECK(made.notes[3].find("1 frees of what was freed before") == 0);
    CHECK(made.notes[4].find("1 entries have a time before that of the entry before") == 0);
}

TEST_CASE("older files have no times, no addresses of blocks and no requested sizes") {
    using namespace sample;
    const auto old_block = [](std::uint64_t size, const std::string& state) {
        return dictionary({{"size", integer(size)}, {"state", text(state)}});
    };
    const std::string bytes = whole(dictionary(
        {{"segments",
          list({dictionary({{"address", integer(4096)},
                            {"total_size", integer(1536)},
                            {"blocks", list({old_block(512, "inactive"), old_block(1024, "active_allocated")})}})})},
         {"device_traces",
          list({list({dictionary({{"action", text("alloc")}, {"addr", integer(4608)}, {"size", integer(1000)}}),
                      dictionary({{"action", text("snapshot")}})})})}}));
    const memory_snapshot read = right(bytes);
    CHECK(read.crooked_segments == 0);
    CHECK(read.segments[0].blocks[1].address == 4608);
    CHECK(read.segments[0].blocks[1].requested == 1024);
    CHECK(hbm::trace::to_csv(traced(bytes)) == "op,id,bytes\nalloc,b1200_0,1000\n");
}

TEST_CASE("snapshots that are none") {
    using namespace sample;
    CHECK(message_of(whole("N")) ==
          "s.pickle: found a pickle without the lists `segments` and `device_traces`, expected "
          "what torch.cuda.memory._dump_snapshot writes");
    CHECK(message_of(whole(dictionary({{"segments", list({})}}))).find("without the lists") != std::string::npos);
    CHECK(message_of(snapshot({text("x")}, {})) ==
          "s.pickle: found segments[0] without `address`, expected a whole number that is not negative");
    CHECK(message_of(snapshot({segment(~std::uint64_t{0}, 1, {})}, {})).find("with a strange `address`") !=
          std::string::npos);
    CHECK(message_of(snapshot({segment(0, 512, {block(0, 1024, 1, "inactive")})}, {}))
              .find("segments[0].blocks[0] outside of its segment") != std::string::npos);
    CHECK(message_of(snapshot({segment(0, 512, {block(0, 256, 1, "inactive"), block(128, 256, 1, "inactive")})}, {}))
              .find("segments[0].blocks[1] outside of its segment, or in another block") != std::string::npos);
    CHECK(message_of(snapshot({segment(0, 512, {block(0, 256, 1, "asleep")})}, {})) ==
          "s.pickle: found segments[0].blocks[0] in the state `asleep`, expected active_allocated or inactive, for "
          "example");
    CHECK(message_of(snapshot({}, {{"N"}})).find("device_traces[0][0] without an action") != std::string::npos);
    CHECK(message_of(snapshot({}, {{dictionary({{"action", text("alloc")}})}}))
              .find("device_traces[0][0] without `size`") != std::string::npos);
    CHECK(message_of(whole(dictionary({{"segments", list({})}, {"device_traces", list({"K\x01"})}}))) ==
          "s.pickle: found device_traces[0] that is no list, expected a list");
    CHECK(message_of(snapshot({segment(0, 512, {block(0, 512, 1, "inactive")}, 1024)}, {})) ==
          "s.pickle: found segments[0] of device 1024, expected the number of a device, below 1,024");
    CHECK(message_of(snapshot({segment(0, 512, {block(0, 512, 1, "inactive")}, 1023)}, {})).empty());
    const std::vector<std::vector<pickled>> devices(1025);
    CHECK(message_of(snapshot({}, devices)) ==
          "s.pickle: found traces of 1025 devices, expected at most 1,024 devices");
    // A million references to one list of a thousand entries are a file of two megabytes.
    const std::string bomb = whole(dictionary(
        {{"segments", list({})},
         {"device_traces", "](" + list({entry("alloc", 1, 1, 1)}) + "\x94" + std::string("h\0h\0h\0e", 7)}}));
    CHECK(message_of(bomb) ==
          "s.pickle: found device_traces[1], a list that stands elsewhere, too, expected a list of its own");
    std::string many = "](" + entry("alloc", 1, 1, 1) + "\x94";
    for (int i = 0; i < 100'000; ++i) many += std::string("h\0", 2);
    CHECK(message_of(whole(dictionary({{"segments", list({})}, {"device_traces", list({many + "e"})}})))
              .find("more segments, blocks and entries than a file of this size has") != std::string::npos);
}

TEST_CASE("what --describe says of a snapshot") {
    const auto found = describe_snapshot(sample::small_snapshot(), "s.pickle");
    REQUIRE(found);
    hbm::json_writer json;
    write_description(json, "s.pickle", *found);
    CHECK(json.text().find(
              R"("keys":["device_traces","segments"],"segments":2,"devices":{"0":{"reserved_bytes":5120,)"
              R"("allocated_bytes":1536,"active_bytes":4096,"requested_bytes":4000,"blocks":4,"streams":[0],)"
              R"("trace":{"alloc":3,"free_completed":2,"free_requested":3,"segment_alloc":1},"has_time":true,)"
              R"("live_before_trace":2,"live_before_trace_bytes":1070,"peak_requested_bytes":4000,)"
              R"("live_after_trace_bytes":4000}}})") != std::string::npos);
}

}  // namespace

}  // namespace hbm::test::snapshot_tests
