#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "compare/program/compare_program.hpp"
#include "compare/read/pickle_sample.hpp"
#include "compare/read/pprof_sample.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::files_tests {

namespace {

const std::string module_text = "HloModule jit_step, is_scheduled=true, entry_computation_layout={(f32[8]{0:T(128)}, "
                                "f32[2]{0})->f32[8]{0:T(128)}}\n"
                                "\n"
                                "ENTRY %main (p0: f32[8], p1: f32[2]) -> f32[8] {\n"
                                "  %p0 = f32[8]{0:T(128)} parameter(0)\n"
                                "  %p1 = f32[2]{0} parameter(1)\n"
                                "  ROOT %n = f32[8]{0:T(128)} negate(%p0)\n"
                                "}\n";

TEST_CASE("files of a wrong kind are named, with what to bring") {
    const workplace here;
    here.write("t.csv", "op,id,bytes\nalloc,a,100\n");
    here.write("samples.csv", "step,bytes_in_use\n1,100\n");
    here.write("t.csv.xz", std::string_view("\xfd"
                                            "7zXZ\0",
                                            6));
    here.write("program", std::string_view("\x7f"
                                           "ELF\x02\x01\0",
                                           7));
    CHECK(here.refusal("--program t.csv").find("t.csv: found a trace (see --trace), expected a file of an XLA dump") !=
          std::string::npos);
    CHECK(here.refusal("--program samples.csv")
              .find("found samples of the memory in use (see --growth --trace), expected") != std::string::npos);
    for (const std::string arguments : {"--trace t.csv.xz", "t.csv.xz", "--message t.csv.xz", "--program t.csv.xz"}) {
        const std::string error = here.refusal(arguments);
        CHECK_MESSAGE(
            error.find("t.csv.xz: found compressed data, expected a file that is not compressed, or compressed "
                       "with gzip: unpack it first (xz -d") != std::string::npos,
            error);
    }
    for (const std::string arguments : {"--trace program", "program", "--message program"}) {
        const std::string error = here.refusal(arguments);
        CHECK_MESSAGE(error.find("program: found binary data that is neither a pprof profile nor a pickle, expected "
                                 "text: a trace, a log, or the *-buffer-assignment.txt") != std::string::npos,
                      error);
    }
}

TEST_CASE("--program reads each of several modules in one file") {
    const workplace here;
    std::string second(dump_samples::module_text);
    second.replace(second.find("jit_step"), 8, "jit_next");
    here.write("two.txt", std::string(dump_samples::module_text) + "\n" + second);
    const std::string json = here.run("--program two.txt:temp=4096 --capacity 1MiB --rounds 0 --manager best_fit").out;
    CHECK(json.find("jit_step") != std::string::npos);
    CHECK(json.find("jit_next") != std::string::npos);
}

TEST_CASE("--describe says what is in files, in the order given, as JSON") {
    const workplace here;
    here.write("a.txt", module_text);
    here.write("b.txt", "HloModule b, entry_computation_layout={()->s32[]}\n");
    const ending done = here.run("--describe a.txt b.txt");
    CHECK(done.err.empty());
    CHECK(done.status == 0);
    CHECK(done.out.find(R"({"schema":"hbm-describe/1","files":[{"file":"a.txt","kind":"module","name":"jit_step",)"
                        R"("argument_bytes":520,"output_bytes":512,"alias_bytes":0,"temp_bytes":null,)") == 0);
    CHECK(done.out.find(R"("saved_bytes":512)") != std::string::npos);
    CHECK(done.out.find(R"({"file":"b.txt","kind":"module","name":"b","argument_bytes":0,"output_bytes":4,)") !=
          std::string::npos);
    CHECK(here.run("--describe a.txt --describe=b.txt").out == done.out);
    CHECK(here.run("--describe a.txt b.txt -o out.json").status == 0);
    CHECK(here.read("out.json") == done.out);
    CHECK(here.run("--describe a.txt -o a.txt").status == 2);
    CHECK(here.read("a.txt") == module_text);
}

TEST_CASE("--describe names the place of what is wrong, and what to bring") {
    const workplace here;
    here.write("wrong.txt", "HloModule m, entry_computation_layout={(f33[8])->s32[]}\n");
    here.write("mlir.txt", "module @jit_f {\n  func.func public @main() {\n}\n");
    here.write("empty.txt", "");
    here.write("other.txt", "op,id,bytes\n");
    here.write("packed.xz", "\xfd\x37zXZ");
    here.write("damaged.gz", "\x1f\x8b\x08");
    const auto refused = [&](const std::string& file) { return here.refusal("--describe " + file); };
    CHECK(refused("wrong.txt") == "hbm_compare: wrong.txt:1:41: found `f33[8])->s32[]}`, expected an element type such "
                                  "as f32, bf16, s32 or pred\n");
    CHECK(refused("mlir.txt").find("compiled.as_text()") != std::string::npos);
    CHECK(refused("empty.txt").find("found an empty file") != std::string::npos);
    CHECK(refused("other.txt").find("expected an HLO module") != std::string::npos);
    CHECK(refused("packed.xz").find("xz -d") != std::string::npos);
    CHECK(refused("damaged.gz").find("gzip") != std::string::npos);
    CHECK(refused("missing.txt").find("cannot open missing.txt: ") != std::string::npos);
    CHECK(here.run("--describe").err.find("--describe needs FILE...") != std::string::npos);
    CHECK(here.run("--describe ''").status == 2);
}

TEST_CASE("binary files of XLA and XProf are named, with what to bring instead, by every option") {
    const workplace here;
    using test::sample::bytes_field;
    using test::sample::number_field;
    const std::string module = bytes_field(1, "jit_step") + bytes_field(2, "main.9") + number_field(5, 7);
    here.write("module_0001.hlo.pb", bytes_field(1, module));
    here.write("host.xplane.pb", bytes_field(1, number_field(1, 3) + bytes_field(2, "/device:TPU:0")));
    for (const char* option :
         {"--describe ", "--program ", "--trace ", "--growth --trace ", "--serve ", "--message "}) {
        CAPTURE(std::string(option));
        const std::string hlo = here.refusal(option + std::string("module_0001.hlo.pb"));
        CHECK(hlo.find("found an HLO module as binary data (.hlo.pb), expected its text: set XLA_FLAGS=") !=
              std::string::npos);
        const std::string xplane = here.refusal(option + std::string("host.xplane.pb"));
        CHECK(xplane.find("found a trace of XProf (.xplane.pb), expected what the program wrote itself: "
                          "jax.profiler.save_device_memory_profile(") != std::string::npos);
    }
}

TEST_CASE("a folder of a dump is all of its programs") {
    const workplace here;
    std::filesystem::create_directories(here.at("dump"));
    for (const char* const name : {"module_0001.jit_step.cl_1.", "module_0002.jit_eval.cl_1."})
        here.write("dump/" + std::string(name) + "after_optimizations-buffer-assignment.txt",
                   dump_samples::assignment_text);
    here.write("dump/module_0003.jit_bad.cl_1.after_optimizations.txt", "nothing");
    here.write("dump/notes.txt", "nothing of XLA");
    const ending both = here.run("--program dump --capacity 1MiB --rounds 0 --manager best_fit", "COLUMNS=300");
    CHECK(both.status == 0);
    CHECK(both.out.find("The 2 programs together need at least ") != std::string::npos);
    CHECK(both.err.find("module_0003.jit_bad.cl_1.after_optimizations.txt: found text without any of the marks") !=
          std::string::npos);
    CHECK(both.err.find("; this program is left out") != std::string::npos);
    const ending described = here.run("--describe dump");
    CHECK(described.status == 0);
    CHECK(count_of(described.out, "\"kind\":\"assignment\"") == 2);
    CHECK(described.err.find("module_0003.jit_bad") != std::string::npos);
    std::filesystem::create_directories(here.at("empty"));
    CHECK(here.refusal("--describe empty").find("empty: found a folder without a program of an XLA dump") !=
          std::string::npos);
}

TEST_CASE("what is packed with gzip is unpacked") {
    const workplace here;
    here.write("a.txt", module_text);
    REQUIRE(here.shell("gzip -k a.txt").status == 0);
    const ending plain = here.run("--describe a.txt");
    const ending packed = here.run("--describe a.txt.gz");
    if (packed.err.find("built without zlib") != std::string::npos) return;
    CHECK(packed.status == 0);
    CHECK(packed.out.size() == plain.out.size() + 3);
}

TEST_CASE("profiles and snapshots are traces") {
    const workplace here;
    here.write("memory.prof", sample::small_profile());
    here.write("snapshot.pickle", sample::small_snapshot());
    const std::string common = " --manager best_fit --quantum 1 --rounds 0 --format json";
    ending done = here.run("--trace memory.prof" + common);
    CHECK(done.status == 0);
    CHECK(done.out.find(R"("peak_live_bytes":4073,)") != std::string::npos);  // an array without elements takes a byte
    CHECK(done.err.find("hbm_compare: warning: memory.prof: the profile has 2 devices") != std::string::npos);
    CHECK(done.err.find("hbm_compare: warning: memory.prof: 9 executables whose size") != std::string::npos);
    done = here.run("--trace memory.prof --device TPU_1" + common);
    CHECK(done.out.find(R"("peak_live_bytes":5096,)") != std::string::npos);
    done = here.run("--trace memory.prof --device TPU_7" + common);
    CHECK(done.status == 2);
    CHECK(done.err.find("memory.prof: found no device `TPU_7`, expected one of the devices") != std::string::npos);
    done = here.run("--trace snapshot.pickle" + common);
    CHECK(done.status == 0);
    CHECK(done.out.find(R"("peak_live_bytes":4000,)") != std::string::npos);
    CHECK(done.err.empty());
    CHECK(here.run("memory.prof").out == here.run("--growth --trace memory.prof").out);
    CHECK(here.run("snapshot.pickle" + common).out == done.out);
    here.write("plain.csv", "op,id,bytes\nalloc,a,5\n");
    CHECK(here.run("--trace plain.csv --manager best_fit --rounds 0").out.find("who holds") == std::string::npos);
    here.write("evil.pickle", "\x80\x04"
                              "cos\nsystem\n(\x8c\x02lstR.");
    done = here.run("--trace evil.pickle" + common);
    CHECK(done.status == 2);
    CHECK(done.err.find("an object that is more than plain data (opcode 0x63) at byte 2") != std::string::npos);
}

TEST_CASE("--layout writes what lies where in a snapshot, as a trace that can be replayed") {
    const workplace here;
    here.write("snapshot.pickle", sample::small_snapshot());
    CHECK(here.run("--layout snapshot.pickle").out.find("op,id,bytes,tag,offset\nimport,block1,1024,") == 0);
    ending done = here.run("--layout snapshot.pickle -o layout.csv");
    CHECK(done.status == 0);
    CHECK(done.err.find(
              "the segments have 5.0K together, the capacity that this layout had: pass it as --capacity 5120") !=
          std::string::npos);
    here.write("more.csv", here.read("layout.csv") + "alloc,wanted,1024\n");
    const std::string common = " --capacity 5120 --rounds 0 --format json --manager ";
    CHECK(here.run("--trace more.csv" + common + "best_fit").out.find(R"("completed":true)") != std::string::npos);
    CHECK(here.run("--trace more.csv --capacity 4608 --rounds 0 --format json --manager best_fit")
              .out.find(R"("completed":false,"failed_event":2)") != std::string::npos);
    CHECK(here.run("--trace more.csv --capacity min --rounds 0 --format json --manager best_fit")
              .out.find(R"("min_capacity_bytes":5120)") != std::string::npos);
    CHECK(here.run("--layout snapshot.pickle -o snapshot.pickle").status == 2);
    CHECK(here.read("snapshot.pickle") == sample::small_snapshot());
    here.write("memory.prof", sample::small_profile());
    done = here.run("--layout memory.prof");
    CHECK(done.status == 2);
    CHECK(done.err.find("expected a memory snapshot of PyTorch: no other file says where buffers lie") !=
          std::string::npos);
}

const std::string log_text = "step 17\nValueError: RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to "
                             "allocate 96.00M. That was not "
                             "possible. There are 41.50M free.; (1x2x0_HBM1)\nbye\n";

TEST_CASE("--message answers the message in a log") {
    const workplace here;
    here.write("train.log", log_text);
    const ending done = here.run("--message train.log");
    CHECK(done.status == 0);
    CHECK(done.err.empty());
    CHECK(done.out.starts_with("The device is full. Requested 96.00M; 41.50M is free: 54.50M short.\n"
                               "(line 2, device 1x2x0_HBM1)\n"));
    CHECK(here.run("--message - < train.log").out == done.out);
    CHECK(here.run("--message=train.log -o answer.txt").status == 0);
    CHECK(here.read("answer.txt") == done.out);
    CHECK(here.run("--message train.log -o train.log").status == 2);
    CHECK(here.read("train.log") == log_text);
}

TEST_CASE("--message with what was measured before, and with the program beside it") {
    const workplace here;
    here.write("train.log", log_text);
    here.write("before.txt", "{'bytes_in_use': 1048576, 'bytes_limit': 16911433728}\n");
    here.write("m.txt", "HloModule jit_step, entry_computation_layout={(f32[1024,1024]{1,0})->f32[1024,1024]{1,0}}\n");
    CHECK(here.run("--message train.log --before before.txt").out.find("free: 15.75G then, 41.50M now, 15.71G less") !=
          std::string::npos);
    CHECK(here.run("--message train.log --describe m.txt").out.find("1 more argument could be donated") !=
          std::string::npos);
    CHECK(here.run("--message train.log --describe train.log").status == 2);
    CHECK(here.run("--message train.log --before missing.txt").status == 2);
    CHECK(here.run("--before before.txt").err.find("--before: found 0 files to compare") != std::string::npos);
}

TEST_CASE("--message says what the figures mean on another device, and what donating arguments saves") {
    const workplace here;
    here.write("train.log", log_text);
    const auto has = [&](const std::string& arguments, const std::string& words) {
        const ending done = here.run("--message train.log " + arguments);
        CAPTURE(done.out + done.err);
        CHECK((done.out + done.err).find(words) != std::string::npos);
    };
    has("--capacity v5p", "(line 2, device 1x2x0_HBM1)\nOn TPU v5p (95.74G): the request alone is 96.00M, which fits");
    has("--capacity 64MiB", "On a device of 64.00M: the request alone is 96.00M, which does not fit: 32.00M\nwould");
    has("--capacity v5p --format json", "\"other_device\":{\"name\":\"v5p\",");
    has("--capacity v5e,v5p", "--message takes one --capacity");
    has("--capacity min", "--message takes one --capacity");
    const std::string module =
        "HloModule jit_step, entry_computation_layout={(f32[1024,1024]{1,0}, f32[65536]{0})->f32[1024,1024]{1,0}}\n";
    std::filesystem::create_directories(here.at("dump"));
    here.write("dump/module_0001.jit_step.cl_1.after_optimizations.txt", module);
    here.write("m.txt", module);
    has("--describe m.txt:donate=0", "With the arguments of donate= donated, a run holds 4.00M less.\n");
    has("--describe m.txt:donate=0", "Note: of the missing 54.50M, donation saves 4.00M: it alone is not enough.");
    has("--describe m.txt:donate=all", "With the arguments of donate= donated, a run holds 4.00M less.\n");
    has("--describe m.txt:donate=1", "Donated without effect: 1 argument of 256.0K");
    has("--describe m.txt:donate=2", "m.txt: found no argument 2, expected numbers for donate= from 0 to 1");
    has("--describe m.txt:runs=2", "expected a module, alone or with donate=all");
    has("--describe dump", "dump/module_0001.jit_step.cl_1.after_optimizations.txt\nDonation: 1 more argument");
    has("--describe .", "found a folder without a program of an XLA dump");
    here.write("train.log",
               "Ran out of memory in memory space hbm. Used 18.00G of 15.75G hbm. Exceeded hbm capacity by "
               "2.25G.\n");
    has("--describe m.txt:donate=0", "Note: the missing 2.25G leaves outputs out, which come on top.");
}

TEST_CASE("--message uses what a log prints about its devices before the message") {
    const workplace here;
    const std::string message =
        "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 96.00M. That "
        "was not possible. There are 41.50M free.; (1x2x0_HBM1)\n";
    here.write("even.log", "INFO Init kv-cache | hbm=[(28.49, 31.25), (28.49, 31.25)]Gb\n" + message);
    CHECK(here.run("--message even.log")
              .out.ends_with("\nBefore it, the log has 28.49G of 31.25G in use on each of 2 "
                             "devices.\n"));
    here.write("uneven.log", "INFO Init model | hbm=[(29.50, 31.25), (10.40, 31.25)]Gb\n" + message);
    const std::string uneven = here.run("--message uneven.log").out;
    CHECK(uneven.find(
              "\nDevices differ: before it, the log has 29.50G of 31.25G in use on device 0, and\n10.40G on device "
              "1. Look for arrays") != std::string::npos);
    here.write("alone.log", message);
    CHECK(here.run("--message alone.log").out.find("Before it") == std::string::npos);
}

TEST_CASE("--message fills the lines of a narrow screen") {
    const workplace here;
    here.write("train.log", log_text);
    const std::string wide = here.run("--message train.log", "COLUMNS=80").out;
    const std::string narrow = here.run("--message train.log", "COLUMNS=44").out;
    CHECK(longest_line(narrow) <= 44);
    // Two lines that can be joined are not both short.
    CHECK(narrow.find("\n  1. Free 54.50M: delete arrays that are no") != std::string::npos);
    std::size_t short_lines = 0;
    const std::string remedies =
        narrow.substr(narrow.find("  1. "), narrow.find("\nThe numbers") - narrow.find("  1. "));
    for (std::size_t at = 0; at < remedies.size(); at = remedies.find('\n', at) + 1) {
        const std::size_t end = remedies.find('\n', at);
        if (end == std::string::npos) break;
        if (end - at < 30) ++short_lines;
    }
    CHECK(short_lines <= 5);  // the last line of each of five items
    CHECK(here.run("--message train.log", "").out == wide);
}

TEST_CASE("options that --message would ignore are refused") {
    const workplace here;
    here.write("train.log", log_text);
    for (const std::string other : {"--layout x.pickle", "--trace x.csv", "--growth", "--on-oom why.txt"}) {
        const ending done = here.run("--message train.log " + other);
        CHECK(done.status == 2);
        CHECK(done.err.find("--message cannot be combined with " + other.substr(0, other.find(' '))) !=
              std::string::npos);
    }
    CHECK(here.run("--message train.log --message train.log").err.find("found it twice") != std::string::npos);
    CHECK(here.run("--message train.log --format csv").err.find("--message has the formats table and json") !=
          std::string::npos);
    CHECK(here.run("--message train.log --format json").out.starts_with(R"({"schema":"hbm-message/1",)"));
}

TEST_CASE("--message says what is wrong with a file") {
    const workplace here;
    here.write("quiet.log", "all went well\n");
    here.write("wrong.log", "x\nAttempting to allocate 99999999999999999999.00G. That was not possible.\n");
    here.write("measured.log", "{'bytes_in_use': 1048576, 'bytes_limit': 16911433728}\n");
    here.write("damaged.gz", "\x1f\x8b\x08");
    here.write("shell.log", std::string_view("\xff\xfe"
                                             "E\0r\0",
                                             6));
    const auto refused = [&](const std::string& file) { return here.refusal("--message " + file); };
    CHECK(refused("quiet.log").find("quiet.log: found no message about the device's memory in 14 bytes") !=
          std::string::npos);
    CHECK(refused("wrong.log").find("wrong.log:2:24: found `99999999999999999999.00G`") != std::string::npos);
    CHECK(refused("measured.log").find("measurements are for --before") != std::string::npos);
    CHECK(refused("missing.log").find("cannot open missing.log: ") != std::string::npos);
    CHECK(refused(".") ==
          "hbm_compare: .: found a folder, expected the path of a file with the message, such as ./LOG, or "
          "- for stdin\n");
    CHECK(refused("damaged.gz").find("gzip") != std::string::npos);
    CHECK(refused("shell.log").find("found text in UTF-16") != std::string::npos);
    // A program where a message should be.
    here.write("module.txt", "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n");
    CHECK(refused("module.txt").find("module.txt holds a program of an XLA dump: `hbm_compare --program module.txt`") !=
          std::string::npos);
    CHECK(refused("''").find("--message needs ") != std::string::npos);
    CHECK(here.run("--message missing.log --wide")
              .err.starts_with("hbm_compare: warning: --wide has no effect with --message: "));
    CHECK(here.run("--help").out.find("--message FILE|-") != std::string::npos);
}

}  // namespace

}  // namespace hbm::test::files_tests
