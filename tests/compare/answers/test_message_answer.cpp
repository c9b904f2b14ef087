// Whole answers to messages, as people read them.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/headline.hpp"
#include "compare/message/message_samples.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/text.hpp"

namespace hbm::test::message_answer_tests {

using namespace hbm::imported;

namespace {

std::string answer(const std::string& text, const std::string& before = {}) {
    const reading<found_messages> found = read_messages("log", text);
    REQUIRE(found);
    if (before.empty()) return answers_to(*found);
    const reading<found_messages> earlier = read_messages("before", before);
    REQUIRE(earlier);
    return answers_to(*found, {.before = &*earlier});
}
/// The last paragraph of an answer to a message that does not say who holds memory.
const std::string where_to_look = R"(
Not in the message: whose memory it is that is in use. Just before the line that
fails, call `jax.profiler.save_device_memory_profile('memory.prof')`; then
`hbm_compare --growth --trace memory.prof` lists who holds what.
LIBTPU_INIT_ARGS=--tpu_log_allocations_on_oom=true, set before the process
starts, lets the runtime list all allocations when it fails. What a program
needs is in the files that XLA_FLAGS=--xla_dump_to=DIR writes: `hbm_compare
--describe DIR/module_*after_optimizations.txt`.
)";

bool has(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a full device") {
    CHECK(answer(samples::full_device) ==
          R"(The device is full. Requested 96.00M; 41.50M is free: 54.50M short.
(line 1, device 1x2x0_HBM1)

Remedies, cheapest first:
  1. Free 54.50M: delete arrays that are no longer needed (`del x` for every
     reference, or `x.delete()`). The usual ones are an old state, results kept
     in a list from step to step, and a second copy while a checkpoint is saved
     or restored: save the weights alone, or part by part.
  2. Donate, if the 96.00M is an output of a program: `jax.jit(step,
     donate_argnums=...)`; an output takes over an input of the same size on the
     device, and then it needs no room of its own.
  3. Take a smaller batch or a shorter sequence: if this array grows in step
     with it, 43 % of the present one fits (41.50M instead of 96.00M).
  4. Spread this array over more devices (sharding). At best, if everything
     divides: over 3, each needs 32.00M, which fits into 41.50M.
  5. Check its shape: the last two dimensions are stored as multiples of 128 and
     8 (roughly), so a last dimension of 1 to 127 takes the memory of 128.

The numbers (one device's memory, not the host's):
  96.00M  requested, in one piece: an array put on the device, or an output of a
          program
  41.50M  free in all at the time of the request
  54.50M  missing: at least this much must become free

To scale:
  requested    ################################################ 96.00M
  free in all  #################### 41.50M
)" + where_to_look);
}

TEST_CASE("something in the way at the bottom") {
    CHECK(answer(samples::blocked) ==
          R"(Enough memory is free, but something is in the way: program 'jit_decode' needs
5.50G of scratch memory at the bottom of the device's memory, where the free
piece has 2.75G, which is 2.75G too short. In all 7.25G is free.
(line 1)

Remedies, cheapest first:
  1. Load the program first: compile it and run it once before the large arrays
     are made. Its scratch memory then lies at the bottom, and the arrays come
     above it.
  2. Free the array that is in the way: it begins 2.75G above what is reserved
     at the bottom. The message does not name it: begin with arrays that are no
     longer needed (`del x`, `x.delete()`).
  3. Donate inputs: `jax.jit(step, donate_argnums=...)`; an output takes over an
     input of the same size on the device, so that both need not be in memory at
     once.
  4. Keep fewer programs loaded: each function and each new shape that is
     compiled is one more. Pad inputs to a few fixed shapes, and do not compile
     again what could be kept.
  5. Take a smaller batch or a shorter sequence: if the scratch memory grows in
     step with it, 49 % of the present one fits (2.75G instead of 5.50G).
  6. Recompute instead of storing (`jax.checkpoint`) in programs that compute
     gradients, or keep activations on the host.
  7. Let the compiler use less: set
     LIBTPU_INIT_ARGS=--tpu_shared_memory_percent=N before the process starts; a
     lower N (in per cent) limits the memory for temporaries, and programs then
     run slower. It has to be 2.75G less. A libtpu that does not know this flag
     says so when it starts.
  8. Spread the program and its arguments over more devices (sharding). At best,
     if everything divides: over 3, each needs 1.83G, which fits into 2.75G.
  9. Restart from a checkpoint, with the program loaded first: 1.75G would be
     left over.

The numbers (one device's memory, not the host's):
  5.50G  requested: scratch memory for temporaries while the program runs, at
         the bottom of memory
  7.25G  free in all at the time of the request
     0B  reserved at the bottom already, for programs that were loaded before
  2.75G  free in one piece directly above that
  2.75G  missing in that piece

To scale:
  requested          #################################### 5.50G
  free in one piece  ################## 2.75G
  free in all        ################################################ 7.25G
  reserved           0B
)" + where_to_look);
}

TEST_CASE("a program that is too large") {
    CHECK(answer(samples::compile) ==
          R"(The program does not fit, even into empty memory: with its arguments it needs
18.00G of 15.75G, 2.25G too much. Freeing memory does not help: the program
itself has to become smaller.
(line 1)

Remedies, cheapest first:
  1. Avoid padding: 1.00G of the 2.00G of bf16[65536,128,64] is padding: the
     device stores its dimension of 64 as 128. Make a small last dimension part
     of another one, or swap dimensions.
  2. Donate the arguments that outputs replace, with `jax.jit(step,
     donate_argnums=...)`; an output takes over an input of the same size on the
     device: 1.00G of outputs take over nothing now, and come on top of the
     total above.
  3. Take a smaller batch or a shorter sequence: if the 10.00G of temporaries
     grow in step with it, 77 % of the present one fits. Or cut the batch into 2
     equal parts and add up their gradients.
  4. Recompute instead of storing (`jax.checkpoint`): the temporaries have to
     become 2.25G smaller, by 23 %.
  5. Compute in bfloat16 where that is good enough: 1 of the 2 listed arrays is
     f32, and would shrink by half.
  6. Spread arguments and batch over more devices (sharding). At best, if
     everything divides: over 2, each needs 9.00G, which fits into 15.75G.
  7. Take a device with more memory: TPU v4 (30.75G, 12.75G left), TPU v6e
     (31.25G, 13.25G left), TPU 7x (94.70G, 76.70G left), TPU v5p (95.74G,
     77.74G left).
  8. Keep the optimizer's state or activations on the host (host offloading):
     slower, and up to the 8.00G of arguments are saved.
  9. As a last resort, make the compiler look harder, at the price of time:
     before the process starts, set
     LIBTPU_INIT_ARGS='--xla_tpu_rematerialization_algo=PEAK_PRIORITY', or a
     limit below the device's memory, such as --xla_tpu_max_hbm_size_mib=15321.
     In XLA_FLAGS they may be refused as unknown; a libtpu that does not know
     them says so, too.

Largest allocations of the program:
  2.00G, bf16[65536,128,64], a.py:3, jit(f)/dot_general, HLO temp
  512.00M, f32[1024,131072], copy.2, HLO temp

The numbers (one device's memory, not the host's):
   18.00G  needed by the program
   15.75G  available to programs
    2.25G  too much
  256.00M  reserved by the system, and in neither of the above
    8.00G  arguments: weights, optimizer state, batch
   10.00G  the program itself, with its temporaries
   10.00G  of that: temporaries, such as activations and gradients
    0.35G  of the temporaries: padding (0.34G to 0.36G)
   51.20M  of the temporaries: lost in gaps between them
    64.0K  of the program: constants and the like
    1.00G  outputs that take over no argument: needed in addition, and in no
           total above

To scale:
  needed       ################################################ 18.00G
  arguments    ##################### 8.00G
  temporaries  ########################## 10.00G
  device       ########################################## 15.75G

Not in the message: when each array lives, and which argument is which. Set
XLA_FLAGS=--xla_dump_to=DIR and run again; then `hbm_compare --message LOG
--describe FILE` says what could be donated, FILE being the program's
DIR/module_*after_optimizations.txt. A smaller batch that compiles tells the
rest: `jax.jit(f).lower(...).compile().memory_analysis()`.
)");
}

TEST_CASE("a stack that is too large for a memory on the chip") {
    const std::string text =
        answer("RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem while allocating on stack for %fusion.3 = "
               "f32[8]{0} fusion(). Scoped allocation with size 20.50M and limit 16.00M exceeded scoped vmem limit by "
               "4.50M. It should not be possible to run out of scoped vmem.");
    CHECK(text.starts_with("'fusion.3' needs too much of 'vmem', a small memory on the chip, where 20.50M is\n"
                           "needed and 16.00M is allowed: 4.50M too much. That limit is a setting, and the\n"));
    CHECK(answer("Ran out of memory in memory space vmem while allocating on stack")
              .starts_with("An operation or kernel of the program needs too much of 'vmem', a small memory\n"
                           "on the chip. The device's memory (HBM) is not short: freeing it does not help."));
}

TEST_CASE("memory of the host is not called one of the chip") {
    const std::string text =
        answer("Ran out of memory in memory space host. Used 512.00G of 440.00G host. Exceeded host "
               "capacity by 72.00G.");
    CHECK(has(text, "memory of the\nhost, to which a program can offload"));
    CHECK(has(text, "Offload less to the host"));
    CHECK_FALSE(has(text, "on the chip"));
}

TEST_CASE("messages of GPUs are named, with what to bring") {
    const auto refusal = [](std::string_view text) {
        const reading<found_messages> found = read_messages("log", text);
        REQUIRE_FALSE(found);
        return found.error().message();
    };
    const std::string torch = refusal("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.");
    CHECK(has(torch, "log: found an out-of-memory message of PyTorch about a GPU, expected a message about a TPU"));
    CHECK(has(torch, "_dump_snapshot('snapshot.pickle')"));
    CHECK(has(torch, "hbm_compare --growth --trace snapshot.pickle"));
    const std::string xla = refusal("W bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to "
                                    "allocate 4.00GiB (rounded to 4294967296)requested by op");
    CHECK(has(xla, "found an out-of-memory message of XLA about a GPU"));
    CHECK(has(xla, "save_device_memory_profile"));
    CHECK(has(refusal("XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 123456789 bytes."),
              "found an out-of-memory message of XLA about a GPU or CPU"));
    for (const char* text :
         {"Resource exhausted: Failed to allocate request for 32.00MiB (33554432B) on device ordinal 0",
          "failed to allocate 154.06GiB (165425291480 bytes) from device: HIP_ERROR_OutOfMemory",
          "Out of memory while trying to allocate 22271409880 bytes.",
          "BufferAssignment OOM Debugging.\nBufferAssignment stats:\n"})
        CHECK(has(refusal(text), "found an out-of-memory message of XLA about a GPU or CPU"));
    CHECK(has(refusal("all is well"), "found no message"));
}

TEST_CASE("an array only slightly larger than the device: the difference, not 1.0 times") {
    std::string text = samples::single;
    CHECK(has(answer(text), " times all the memory of the"));
    text.replace(text.find("17179869184"), 11, "33822867456");
    CHECK(has(answer(text), "which is 512.00M"));
    CHECK_FALSE(has(answer(text), "1.0 times"));
}

TEST_CASE("a failure in pieces after another of the same process is a retry") {
    const std::string retry = "This is a retry: the process failed before, at line 1, and went on.";
    for (const std::string& text :
         {samples::no_code + "\n" + samples::in_pieces, samples::full_device + "\n" + samples::blocked}) {
        const std::string words = answer(text);
        CHECK(words.find("(line 2") < words.find(retry));
        CHECK(words.find(retry) < words.find("Remedies", words.find("(line 2")));
        CHECK(has(words, "Start a new process for each attempt"));
    }
    CHECK_FALSE(has(answer(samples::in_pieces), "This is a retry"));
    CHECK_FALSE(has(answer(samples::in_pieces + "\n" + samples::full_device), "This is a retry"));
    CHECK_FALSE(has(answer(samples::compile + "\n" + samples::in_pieces), "This is a retry"));
}

TEST_CASE("bars: in the order of the sizes, in 80 columns") {
    for (const std::string* each : {&samples::full_device, &samples::in_pieces, &samples::no_scratch, &samples::blocked,
                                    &samples::no_code, &samples::old_driver, &samples::compile, &samples::early,
                                    &samples::cores, &samples::single, &samples::ledger}) {
        const memory_message message = read_messages("log", *each)->messages.front();
        std::istringstream lines(bars(message));
        std::map<std::uint64_t, std::ptrdiff_t> cells;  // by size
        for (std::string line; std::getline(lines, line);) {
            CHECK(line.size() <= 80);
            const std::optional<rounded_size> size = read_rounded_size(line.substr(line.rfind(' ') + 1));
            REQUIRE(size);
            cells[size->bytes] = std::count(line.begin(), line.end(), '#');
            CHECK((size->bytes == 0) == (cells[size->bytes] == 0));
        }
        REQUIRE(cells.size() >= 2);
        CHECK(cells.rbegin()->second == 48);
        CHECK(std::is_sorted(cells.begin(), cells.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; }));
        CHECK(std::next(cells.rbegin())->second < 48);
    }
}

TEST_CASE("bars: of the ledger, also what is in use") {
    CHECK(has(bars(read_messages("log", samples::ledger)->messages.front()), "  in use "));
}

TEST_CASE("bars: none for a message without its numbers, or whose numbers contradict each other") {
    for (const char* text :
         {"Error allocating device buffer: Attempting to allocate 96.00M. That was",
          "Attempting to allocate 1.00G. That was not possible. There are 40.00G free.; the largest contiguous "
          "region of free memory is 15.75G due to fragmentation.",
          "Ran out of memory in memory space hbm. Used 1.00G of 15.75G hbm. Exceeded hbm capacity by 0B."})
        CHECK(bars(read_messages("log", text)->messages.front()).empty());
}

TEST_CASE("several messages: the first two and the last in full") {
    const std::string closing = "Not in the message: whose memory";
    const std::string text = answer(samples::full_device + "\n" + samples::blocked + "\n" + samples::no_code + "\n" +
                                    samples::early + "\n" + samples::full_device + "\n");
    CHECK(has(text, "(line 1, device 1x2x0_HBM1, there 2 times)\n"));
    CHECK(has(text, "(line 2)\n"));
    CHECK(has(text, "(line 4)\n"));
    CHECK_FALSE(has(text, "(line 3)\n"));
    CHECK(text.starts_with("4 different messages found.\n\nThe device is full"));
    CHECK(text.find(closing) != std::string::npos);
    CHECK(text.find(closing) == text.rfind(closing));
    CHECK_FALSE(has(answer(samples::full_device), "messages found"));
    CHECK(has(text, "Other messages, between the second and the last; give one alone to learn more:\n  line 3: "));
    std::string many;
    for (int each = 0; each < 100; ++each)
        many += "Error allocating device buffer: Attempting to allocate " + std::to_string(100 + each) +
                ".00M. That was not possible. There are 41.50M free.\n";
    const std::string most = answer(many);
    CHECK(most.starts_with("More than 64 different messages found.\n"));
    CHECK(has(most, "(line 100)\n"));  // the last
    CHECK(has(most, "  line 63: "));
    CHECK(has(most, "\n  and 36 more\n"));
}

}  // namespace hbm::test::message_answer_tests
