#pragma once
/// The wordings of messages, as tables. A new wording is a new row.
///
/// In words, a blank stands for any white space, `*` for a word, and `~` for at most 200 bytes. The wordings are those
/// of XLA's pages on errors E0100, E0101, E1000, E1001 and E3000, and of public reports.

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// A part of a message. It reaches from the words that open it to those that open the next.
enum class part : std::uint8_t {
    compile,
    compile_alone,
    excess,
    scoped,
    temporaries,
    sparse_core,
    rematerialization,
    donation,
    sizes,
    list,
    item,
    usage,
    output,
    requirement,
    buffer,
    load,
    attempt,
    old_buffer,
    early_abort,
    cores,
    exceeds,
    ledger,
    chunk,
    persistent,
    fits,
    other,
};

/// The message that a part belongs to.
enum class belongs : std::uint8_t {
    to_new,   ///< to a message that it begins
    to_like,  ///< to the open one if that is alike and has not its first figure yet; else it begins one
    to_open,  ///< to the open one unless that has such a part; else it begins one. A figure or `unknown` must follow
    to_any,   ///< to the open one; else it begins one
    inside,   ///< to the open one; else it is passed over
    nowhere,  ///< to none: it ends the open one
};

/// How a figure or a text is printed.
enum class form : std::uint8_t {
    size,      ///< with a unit, such as `15.75G`: a number of up to four digits without one was cut off
    bytes,     ///< a number of bytes, or with a unit
    exact,     ///< with the exact bytes in brackets: `22.27GiB (23917347918 bytes)`
    negative,  ///< the same with a minus sign
    words,     ///< a number of words of the SparseCore, of 4 bytes
    lone,      ///< behind a label that stands alone, such as the first of several parts called `program`
    word,      ///< letters and digits
    name,      ///< to the next blank, bracket or comma
    quoted,    ///< between quotation marks, also over several lines
    shape,     ///< a shape between quotation marks, which may be cut
    program,   ///< `'jit_step': `, or without quotation marks
    device,    ///< around the words: `0x0x1_HBM0`
    replicas,  ///< `replica 0 and partition 34 of a `
};

constexpr figure no_figure = figure::count;

/// Words that open a part, with the figure that follows at once.
struct opening {
    std::string_view words;
    part which;
    belongs where;
    message_kind kind;
    figure first = no_figure;
    form how = form::size;
    bool is_certain = false;      ///< true if nothing but a message has these words
    std::string_view needs = {};  ///< words that must follow within 200 bytes
};

inline constexpr opening openings[] = {
    // The compiler.
    {"Ran out of memory in memory space ", part::compile, belongs::to_new, message_kind::compile, no_figure, {}, true},
    {"HBM OOM", part::compile_alone, belongs::to_new, message_kind::compile, no_figure, {}, false, "(Used "},
    {"Ran out of memory on HBM", part::temporaries, belongs::to_new, message_kind::temporaries, no_figure, {}, true},
    {"memory required for HLO temporaries", part::temporaries, belongs::to_like, message_kind::temporaries,
     figure::asked, form::size, true},
    {"HLO temporaries (", part::temporaries, belongs::to_like, message_kind::temporaries, figure::asked},
    {"Exceeded * capacity by ", part::excess, belongs::to_like, message_kind::compile, figure::exceeded},
    {"coped allocation with size", part::scoped, belongs::to_like, message_kind::compile, figure::asked, form::bytes},
    {"Insufficient scoped ", part::scoped, belongs::to_like, message_kind::compile, no_figure, {}, false, "> "},
    {"Not enough *: requested ", part::scoped, belongs::to_like, message_kind::compile, figure::asked, form::bytes},
    {"allocation offset upper bound (", part::sparse_core, belongs::to_like, message_kind::compile, figure::asked,
     form::words},
    {"Aborting compilation early", part::early_abort, belongs::to_new, message_kind::early_abort},
    {"TensorCore Hbm usage", part::cores, belongs::to_new, message_kind::cores, figure::tensor_core},
    {"TC Hbm usage", part::cores, belongs::to_new, message_kind::cores, figure::tensor_core},
    {"Allocation (size=", part::exceeds, belongs::to_new, message_kind::exceeds, figure::asked, form::bytes, false,
     "would exceed memory "},
    {"reduce memory use below", part::rematerialization, belongs::to_new, message_kind::rematerialization,
     figure::capacity, form::exact},
    {"donated buffers were not usable:", part::donation, belongs::to_new, message_kind::donation},
    {"program HBM usage:", part::fits, belongs::to_new, message_kind::fits, figure::asked},
    // What the compiler lists.
    {"Total hbm usage", part::usage, belongs::to_open, message_kind::list, figure::total},
    {"Output size ", part::output, belongs::to_open, message_kind::list, figure::output},
    {"Program hbm requirement", part::requirement, belongs::to_open, message_kind::list, figure::requirement},
    {"Largest program allocations in ", part::list, belongs::to_any, message_kind::list},
    // The runtime.
    {"Error allocating device buffer", part::buffer, belongs::to_new, message_kind::buffer, no_figure, {}, true},
    {"Error loading program", part::load, belongs::to_new, message_kind::load, no_figure, {}, true},
    {"Attempting to allocate ", part::attempt, belongs::to_like, message_kind::buffer, figure::asked},
    {"Attempting to reserve ", part::attempt, belongs::to_like, message_kind::reservation, figure::asked},
    {"Could not allocate ", part::old_buffer, belongs::to_new, message_kind::buffer, figure::asked, form::bytes, false,
     "bytes allocatable, "},
    {"HBM capacity ", part::ledger, belongs::to_open, message_kind::list, figure::memory, form::size, false,
     "allocated:"},
    {"Max free chunk ", part::chunk, belongs::inside, message_kind::list, figure::free_chunk},
    {"Persistent allocations ", part::persistent, belongs::inside, message_kind::list},
    // Measurements.
    {"bytes_in_use", part::other, belongs::nowhere, message_kind::list},
};

/// A label of an entry in a list of allocations, with what follows it in its line.
struct item_label {
    std::string_view words;
    std::optional<rounded_size> listed_allocation::*size;
    std::string listed_allocation::*text;
};

inline constexpr item_label item_labels[] = {
    {"Size:", &listed_allocation::size, nullptr},
    {"Operator:", nullptr, &listed_allocation::origin},
    {"Shape:", nullptr, &listed_allocation::shape},
    {"Unpadded size:", &listed_allocation::unpadded, nullptr},
    {"Extra memory due to padding:", &listed_allocation::padding, nullptr},
    {"XLA label:", nullptr, &listed_allocation::label},
    {"Allocation type:", nullptr, &listed_allocation::type},
};

/// A label of the sizes of a compiled program, as JAX, PyTorch/XLA, MaxText and AXLearn print them.
struct size_label {
    std::string_view words;
    figure to;
};

inline constexpr size_label size_labels[] = {
    {"Graph input size:", figure::arguments},
    {"argument_size_in_bytes", figure::arguments},
    {"Input memory:", figure::arguments},
    {"Argument size:", figure::arguments},
    {"Graph output size:", figure::output},
    {"output_size_in_bytes", figure::output},
    {"Output memory:", figure::output},
    {"Output size:", figure::output},
    {"Aliased Input size:", figure::shared},
    {"alias_size_in_bytes", figure::shared},
    {"Intermediate tensor size:", figure::temporaries},
    {"temp_size_in_bytes", figure::temporaries},
    {"Temp memory:", figure::temporaries},
    {"Temp size:", figure::temporaries},
    {"Compiled program size:", figure::global},
    {"generated_code_size_in_bytes", figure::global},
    {"Code memory:", figure::global},
    {"Total HBM memory:", figure::total},
    {"Total memory size:", figure::total},
};

/// What else a part has. Of several rows with the same target, the first whose words are there counts.
struct wording {
    part in;
    std::string_view words;  ///< searched for from the start of the part; empty for what follows its opening words
    figure to = no_figure;
    std::string memory_message::*text = nullptr;
    form how = form::size;

    constexpr wording(part where, std::string_view key, figure target, form printed = form::size)
        : in(where), words(key), to(target), how(printed) {}
    constexpr wording(part where, std::string_view key, std::string memory_message::*target, form printed)
        : in(where), words(key), text(target), how(printed) {}
};

inline constexpr wording wordings[] = {
    {part::compile, "", &memory_message::space, form::word},
    {part::compile, "allocating on stack for ", &memory_message::owner, form::name},
    {part::compile, "for %", &memory_message::owner, form::name},
    {part::compile, "op_name=", &memory_message::owner, form::quoted},
    {part::compile, "Used ", figure::asked},
    {part::compile, "Used ~of ", figure::capacity},
    {part::compile_alone, "Used ", figure::asked},
    {part::compile_alone, "Used ~of ", figure::capacity},
    {part::compile, "Estimated ", figure::asked},
    {part::compile, "Estimated ~exceeds ", figure::capacity},
    {part::excess, "Exceeded ", &memory_message::space, form::word},
    {part::scoped, "and limit ", figure::capacity, form::bytes},
    {part::scoped, "limit by ", figure::exceeded},
    {part::scoped, "exceeded scoped ", &memory_message::space, form::word},
    {part::scoped, "exceeds the scoped ", &memory_message::space, form::word},
    {part::scoped, "exceeds the scoped * limit of ", figure::capacity, form::bytes},
    {part::scoped, "Insufficient scoped ", &memory_message::space, form::word},
    {part::scoped, "Insufficient scoped ~: ", figure::asked},
    {part::scoped, "Insufficient scoped ~> ", figure::capacity},
    {part::scoped, "Not enough ", &memory_message::space, form::word},
    {part::scoped, "bytes, limit of ", figure::capacity, form::bytes},
    {part::temporaries, "available HBM ", figure::capacity},
    {part::temporaries, "HLO module: ", &memory_message::program, form::name},
    {part::sparse_core, "exceeds ~upper bound (", figure::capacity, form::words},
    {part::sparse_core, "memory space ", &memory_message::space, form::word},
    {part::early_abort, "Requires ", figure::asked},
    {part::early_abort, "Requires ~has ", figure::capacity},
    {part::cores, "SparseCore Hbm usage", figure::sparse_core},
    {part::cores, "SC Hbm usage", figure::sparse_core},
    {part::cores, "available bytes", figure::capacity},
    {part::exceeds, "memory (size=", figure::capacity, form::bytes},
    {part::exceeds, "space=", &memory_message::space, form::word},
    {part::exceeds, "shape =", &memory_message::shape, form::shape},
    {part::exceeds, "tag =", &memory_message::owner, form::quoted},
    {part::rematerialization, "only reduced to ", figure::asked, form::exact},
    {part::fits, "usage: ~/ ", figure::capacity},
    {part::list, "program allocations in ", &memory_message::space, form::word},
    {part::usage, "reserved", figure::system_reserved, form::lone},
    {part::usage, "program", figure::program, form::lone},
    {part::usage, "arguments", figure::arguments, form::lone},
    {part::output, "shares ", figure::shared},
    {part::requirement, "reserved", figure::held_back, form::lone},
    {part::requirement, "global", figure::global, form::lone},
    {part::requirement, "scoped", figure::scoped, form::lone},
    {part::requirement, "HLO temp ", figure::temporaries},
    {part::requirement, "HLO temp ~Unpadded ", figure::unpadded},
    {part::requirement, "HLO temp ~Padded ", figure::padded},
    {part::requirement, "HLO temp ~fragmentation ", figure::fragmentation},
    {part::load, "", &memory_message::program, form::program},
    {part::attempt, "There are ", figure::free},
    {part::attempt, "There are ~free, ", figure::reserved},
    {part::attempt, "There are ~reserved, and ", figure::reservable},
    {part::attempt, "contiguous region of free memory is ", figure::largest},
    {part::attempt, "nearest obstacle is at ", figure::obstacle_at},
    {part::attempt, "from the bottom with size ", figure::obstacle},
    {part::attempt, "_HBM", &memory_message::device, form::device},
    {part::attempt, "while running ", &memory_message::replicas, form::replicas},
    {part::old_buffer, "bytes in memory ~; ", figure::largest, form::bytes},
    {part::old_buffer, "bytes allocatable, ", figure::free, form::bytes},
    {part::old_buffer, "_HBM", &memory_message::device, form::device},
    {part::ledger, "reserved:", figure::top_reserved, form::exact},
    {part::ledger, "allocated:", figure::allocated, form::exact},
    {part::ledger, "requirement:", figure::required, form::exact},
    {part::ledger, "after request:", figure::lacking, form::negative},
    {part::persistent, "arguments", figure::held_arguments, form::lone},
    {part::persistent, "output", figure::held_outputs, form::lone},
};

/// Names of classes of messages that may stand alone, where the message was cut.
struct message_class {
    std::string_view name;
    message_kind kind;
    std::string_view space;
};

inline constexpr message_class message_classes[] = {
    {"CompileTimeHbmOom", message_kind::compile, "hbm"},
    {"CompileTimeScopedVmemOom", message_kind::compile, "vmem"},
    {"CompileTimeSparseCoreAllocationFailure", message_kind::compile, "SparseCore"},
    {"RuntimeProgramAllocationFailure", message_kind::load, ""},
    {"RuntimeBufferAllocationFailure", message_kind::buffer, ""},
};

/// Words of the programs that write logs.
inline constexpr std::string_view server_words[] = {"kv-cache",
                                                    "kv cache",
                                                    "KV cache",
                                                    "KV Cache",
                                                    "kv_cache",
                                                    "KVCache",
                                                    "KV pool",
                                                    "vllm",
                                                    "vLLM",
                                                    "EngineCore",
                                                    "sglang",
                                                    "sgl_jax",
                                                    "tpu_inference",
                                                    "tpu_runner",
                                                    "mem_fraction",
                                                    "gpu_memory_utilization",
                                                    "gpu-memory-utilization"};
inline constexpr std::string_view pytorch_words[] = {"torch_xla",
                                                     "pt-xla",
                                                     "PT_XLA",
                                                     "XRTExecute",
                                                     "XRTCompile",
                                                     "xla_client/xla_util",
                                                     "Post Compilation Analysis",
                                                     "Bad StatusOr access",
                                                     "/job:tpu_worker"};
inline constexpr std::string_view tensorflow_words[] = {"INFO:tensorflow", "ERROR:tensorflow", "training_loop",
                                                        "tf.function", "TPUEstimator"};

}  // namespace hbm::imported
