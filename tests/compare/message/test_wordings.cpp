// Newer wordings, cut texts, lists alone, warnings and texts that are no message.

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>

#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::test::wording_tests {

using namespace hbm::imported;

namespace {

/// A text with one message, and its content. A size that is not stated is "-".
struct wording {
    std::string text;
    message_kind kind;
    std::string_view request = "-";
    std::string_view capacity = "-";
    std::string_view exceeded = "-";
    std::string_view space = "";
    std::string_view program = "";
};

std::string words(const std::optional<rounded_size>& size) {
    return size ? in_words(*size) : "-";
}

const wording wordings[] = {
    {"RESOURCE_EXHAUSTED: Ran out of memory on HBM, the total memory required for HLO temporaries (20.50G) exceeds "
     "available HBM (15.75G). HLO module: jit_train.3.",
     message_kind::temporaries, "20.50G", "15.75G", "-", "", "jit_train.3"},
    {"the total memory\n  required for HLO\n  temporaries (20.50G) exceeds\n  available HBM (15.75G).",
     message_kind::temporaries, "20.50G", "15.75G"},
    {"E1000: CompileTimeHbmOom: XLA:TPU compile permanent error. Ran out of memory in memory space hbm.",
     message_kind::compile, "-", "-", "-", "hbm"},
    {"I0101 Used 17.00G of 15.75G hbm. Exceeded hbm capacity by 1.25G.", message_kind::compile, "17.00G", "15.75G",
     "1.25G", "hbm"},
    {"Ran out of memory in memory space hbm. Used 17.00G of 15.75G hbm. Exceeded hbm capacity by 1.25G.",
     message_kind::compile, "17.00G", "15.75G", "1.25G", "hbm"},
    {"Ran out of memory in memory space smem. Used 1.00M of 1.00M smem. Exceeded smem capacity by 2.5K.",
     message_kind::compile, "1.00M", "1.00M", "2.5K", "smem"},
    {"Ran out of memory in memory space vmem while allocating on stack for %kernel. Scoped allocation with size 20.25M "
     "and limit 16.00M exceeded scoped vmem limit by 4.25M.",
     message_kind::compile, "20.25M", "16.00M", "4.25M", "vmem"},
    {"Scoped allocation with size 20.25M and limit 16.00M exceeded scoped vmem limit by 4.25M.", message_kind::compile,
     "20.25M", "16.00M", "4.25M", "vmem"},
    {"Ran out of memory in memory space vmem. Estimated 80.50MB exceeds 64.00MB vmem capacity.", message_kind::compile,
     "80.50M", "64.00M", "-", "vmem"},
    {"error: 'memref.alloca' op current allocation offset upper bound (200000 words) exceeds the legitimate user "
     "allocatable offset upper bound (131071 words) in memory space 201 when allocating 70000 words.",
     message_kind::compile, "781.2K", "512.0K", "-", "SparseCore memory space 201"},
    {"W hlo_rematerialization.cc:2941] Can't reduce memory use below 10.00GiB (10737418240 bytes) by "
     "rematerialization; "
     "only reduced to 12.50GiB (13421772800 bytes), down from 13.00GiB (13958643712 bytes) originally",
     message_kind::rematerialization, "12.50G", "10.00G"},
    {"Error loading program 'jit_step': Attempting to reserve 6.25G at the bottom of memory. That was not possible.",
     message_kind::reservation, "6.25G", "-", "-", "", "jit_step"},
    {"E0100: RuntimeBufferAllocationFailure: Error allocating device buffer:", message_kind::buffer},
    {"All of them fail with `E1001 CompileTimeScopedVmemOom` in `jit(attention)`.", message_kind::compile, "-", "-",
     "-", "vmem"},
    {"E0101: RuntimeProgramAllocationFailure", message_kind::load},
};

}  // namespace

TEST_CASE("read_messages: reads each wording") {
    for (const wording& expected : wordings) {
        CAPTURE(expected.text);
        const reading<found_messages> result = read_messages("log", expected.text);
        REQUIRE(result);
        REQUIRE(result->messages.size() == 1);
        const memory_message& message = result->messages.front();
        CHECK(message.kind == expected.kind);
        CHECK(words(message.asked) == expected.request);
        CHECK(words(message.capacity) == expected.capacity);
        CHECK(words(message.exceeded) == expected.exceeded);
        CHECK(message.space == expected.space);
        CHECK(message.program == expected.program);
        CHECK(result->unread.empty());
    }
}

TEST_CASE("read_messages: reads the sizes of a compiled program") {
    for (const std::string_view text :
         {"Post Compilation Analysis: Graph input size: 2.000000 GB\nPost Compilation Analysis: Graph output size: "
          "3.000000 GB\nAliased Input size: 1.000000 GB\nIntermediate tensor size: 4.000000 GB\nCompiled program size: "
          "0.500000 GB\n",
          "CompiledMemoryStats(generated_code_size_in_bytes=536870912, argument_size_in_bytes=2147483648, "
          "output_size_in_bytes=3221225472, alias_size_in_bytes=1073741824, temp_size_in_bytes=4294967296, "
          "host_generated_code_size_in_bytes=7, host_argument_size_in_bytes=8, host_temp_size_in_bytes=9)"}) {
        CAPTURE(text);
        const reading<found_messages> result = read_messages("log", text);
        REQUIRE(result);
        REQUIRE(result->messages.size() == 1);
        const memory_message& message = result->messages.front();
        CHECK(message.kind == message_kind::report);
        REQUIRE(message.usage);
        REQUIRE(message.output);
        REQUIRE(message.requirement);
        CHECK(message.usage->arguments->bytes == std::uint64_t{2} << 30);
        CHECK(message.output->size->bytes == std::uint64_t{3} << 30);
        CHECK(message.output->shared->bytes == std::uint64_t{1} << 30);
        CHECK(message.requirement->temporaries->bytes == std::uint64_t{4} << 30);
        CHECK(message.requirement->global->bytes == std::uint64_t{1} << 29);
        CHECK(message.usage->total->bytes == (std::uint64_t{8} << 30) + (std::uint64_t{1} << 29));
    }
    for (const std::string_view text : {"Input memory: 4.5GB\nOutput memory: 4.5GB\nTemp memory: 8.0GB\nCode memory: "
                                        "0.0MB\nTotal HBM memory: 17.0GB\n",
                                        "Total memory size: 17.0 GB, Output size: 4.5 GB, Temp size: 8.0 GB, Argument "
                                        "size: 4.5 GB, Host temp size: 0.0 GB."}) {
        CAPTURE(text);
        const reading<found_messages> result = read_messages("log", text);
        REQUIRE(result);
        CHECK(result->messages.front().usage->total->bytes == std::uint64_t{17} << 30);
        CHECK(result->messages.front().requirement->temporaries->bytes == std::uint64_t{8} << 30);
    }
}

TEST_CASE("read_messages: reads memory_analysis() in any order of its fields, and that of each program") {
    const reading<found_messages> result = read_messages(
        "log", "train: CompiledMemoryStats(generated_code_size_in_bytes=4096, argument_size_in_bytes=8192, "
               "output_size_in_bytes=1024, alias_size_in_bytes=0, temp_size_in_bytes=65536, "
               "host_argument_size_in_bytes=9)\n"
               "{'temp_size_in_bytes': 32768, 'argument_size_in_bytes': 16384, 'output_size_in_bytes': 0}\n"
               "argument_size_in_bytes: 12288\noutput_size_in_bytes: 512\ntemp_size_in_bytes: 131072\n");
    REQUIRE(result);
    REQUIRE(result->messages.size() == 3);
    constexpr std::uint64_t arguments[] = {8192, 16384, 12288};
    constexpr std::uint64_t temporaries[] = {65536, 32768, 131072};
    for (std::size_t at = 0; at < 3; ++at) {
        const memory_message& message = result->messages[at];
        REQUIRE(message.usage->arguments);
        CHECK(message.usage->arguments->bytes == arguments[at]);
        REQUIRE(message.requirement->temporaries);
        CHECK(message.requirement->temporaries->bytes == temporaries[at]);
    }
    CHECK(result->messages.front().requirement->global->bytes == 4096);
}

TEST_CASE("read_messages: leaves out a number that the end of a line splits at its point") {
    const reading<found_messages> result = read_messages(
        "log",
        "Error loading program 'jit_step': Attempting to allocate\n1.13G. That was not possible. There are 528.\n"
        "72M free.");
    REQUIRE(result);
    CHECK(words(result->messages.front().asked) == "1.13G");
    CHECK_FALSE(result->messages.front().free);
    CHECK_FALSE(result->unread.empty());
}

TEST_CASE("read_messages: reads lines that a terminal broke within words") {
    std::string text = "RESOURCE_EXHAUSTED: Error loading program 'jit_step': Attempting to reserve 2.00G at the "
                       "bottom of memory. That "
                       "was not possible. There are 1.00G free, 0B reserved, and 1.00G reservable.";
    for (std::size_t at = 39; at < text.size(); at += 40) text.insert(at, "\n");
    const reading<found_messages> result = read_messages("log", text);
    REQUIRE(result);
    CHECK(result->messages.front().program == "jit_step");
    CHECK(words(result->messages.front().asked) == "2.00G");
    CHECK(words(result->messages.front().free) == "1.00G");
}

TEST_CASE("read_messages: reads typographic quotation marks and blanks, and numbers with commas") {
    const reading<found_messages> quoted =
        read_messages("log", "Error loading program \u2018jit_step\u2019: Attempting to allocate 2.00G. That was not "
                             "possible. There are 1.00G free.");
    REQUIRE(quoted);
    CHECK(quoted->messages.front().program == "jit_step");
    const reading<found_messages> grouped = read_messages(
        "log", "Could not allocate 1,073,741,824 bytes in memory 0x0x0_HBM0; 536,870,912 bytes allocatable, "
               "805,306,368 bytes available");
    REQUIRE(grouped);
    CHECK(words(grouped->messages.front().asked) == "1.00G");
    CHECK(words(grouped->messages.front().free) == "768.00M");
    const reading<found_messages> copied =
        read_messages("log", "Ran\u00a0out of memory in memory\u202fspace hbm. Used 18,25G of 15,7G hbm.");
    REQUIRE(copied);
    CHECK(words(copied->messages.front().asked) == "18.25G");
    CHECK(copied->messages.front().capacity->bytes == 16857746637);  // 15.7 * 2^30, rounded
    CHECK_FALSE(read_messages("log", "Could not allocate 1073741824 bytes in memory space pinned_host"));
}

TEST_CASE("read_messages: reads donated arrays that no output took over") {
    const reading<found_messages> result = read_messages(
        "log", "UserWarning: Some donated buffers were not usable: bfloat16[4,32], ShapedArray(float32[8]), int32[].");
    REQUIRE(result);
    CHECK(result->messages.front().kind == message_kind::donation);
    CHECK(result->messages.front().shapes == std::vector<std::string>{"bfloat16[4,32]", "float32[8]", "int32[]"});
}

TEST_CASE("read_messages: reads a list whose beginning is cut off") {
    const std::string prefix = "2020-05-04 09:05:40.721128: E    1578 xla_util.cc:76]      ";
    const reading<found_messages> result = read_messages(
        "log", prefix + "Shape: bf16[64,128]{1,0}\n" + prefix + "Unpadded size: 16.0K\n" + prefix +
                   "XLA label: %copy.3 = bf16[64,128]{1,0} copy(%x)\n" + prefix + "Allocation type: HLO temp\n" +
                   prefix + "==========================\n" + prefix + "\n");
    REQUIRE(result);
    REQUIRE(result->messages.size() == 1);
    REQUIRE(result->messages.front().listed.size() == 1);
    const listed_allocation& entry = result->messages.front().listed.front();
    CHECK(entry.shape == "bf16[64,128]{1,0}");
    CHECK(words(entry.unpadded) == "16.0K");
    CHECK(entry.type == "HLO temp");
    CHECK(result->messages.front().line == 1);
}

TEST_CASE("read_messages: puts a failure before lists and warnings") {
    const reading<found_messages> result =
        read_messages("log", "Some donated buffers were not usable: float32[8].\n"
                             "Error allocating device buffer: Attempting to allocate 96.00M. That was not possible. "
                             "There are 41.50M free.; (0x0x0_HBM0)\n");
    REQUIRE(result);
    REQUIRE(result->messages.size() == 2);
    CHECK(result->messages.front().kind == message_kind::buffer);
    CHECK(result->messages.back().kind == message_kind::donation);
}

TEST_CASE("read_messages: leaves out a figure that cannot be read and keeps the rest") {
    const reading<found_messages> result =
        read_messages("log", "Error allocating device buffer: Attempting to allocate 96.00M. That was not possible. "
                             "There are 1.1 free.; (0x0x0_HBM0)\n");
    REQUIRE(result);
    CHECK(words(result->messages.front().asked) == "96.00M");
    CHECK_FALSE(result->messages.front().free);
    CHECK(result->unread.find("log:1:") != std::string::npos);
    CHECK(result->unread.find("without a unit") != std::string::npos);
}

TEST_CASE("read_messages: names messages of other programs") {
    const auto refusal = [](std::string_view text) {
        const reading<found_messages> result = read_messages("log", text);
        REQUIRE_FALSE(result);
        return result.error().message();
    };
    CHECK(refusal("XlaRuntimeError: RESOURCE_EXHAUSTED: Shared memory size limit exceeded: requested 4096, available "
                  "1024")
              .find("about a GPU or CPU") != std::string::npos);
    const std::string server =
        refusal("ERROR [core.py:7] ValueError: No available memory for the cache blocks. Try increasing "
                "`gpu_memory_utilization` when initializing the engine.");
    CHECK(server.find("found a message of vLLM") != std::string::npos);
    CHECK(server.find("raise --gpu-memory-utilization") != std::string::npos);
    CHECK(
        refusal("ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache "
                "is needed, which is larger than the available KV cache memory (9.56 GiB). Based on the available "
                "memory, the estimated maximum model length is 78304.")
            .find("found a message of vLLM") != std::string::npos);
    CHECK(refusal("Bad StatusOr access: RESOURCE_EXHAUSTED: Error preparing computation: %sOut of memory allocating "
                  "21474836480 bytes.")
              .find("about a GPU or CPU") != std::string::npos);
}

TEST_CASE("read_messages: takes prose and messages about a GPU for no message") {
    for (const std::string text :
         {"v5e has an HBM capacity 16 GB per chip", "we are hitting the HBM capacity limit of 15.75G: help",
          "It Exceeded all expectations by 2.5G", "Total hbm usage was fine. Output size is large.",
          "Attempting to allocate a team of 4", "1. Size: 2.00G of data",
          "Can't reduce memory use below 1.00GiB (1073741824 bytes) by rematerialization; only reduced to 2.00GiB "
          "(2147483648 bytes)\nAllocator (GPU_0_bfc) ran out of memory trying to allocate 2.00GiB"}) {
        CAPTURE(text);
        CHECK_FALSE(read_messages("log", text));
    }
}

}  // namespace hbm::test::wording_tests
