#pragma once

/// Every sentence on the pool of a server, with placeholders in braces.

#include <string_view>

namespace hbm::compare::serving_texts {

inline constexpr std::string_view exact_bytes = "{size} ({bytes} bytes)";

// The largest pool.
inline constexpr std::string_view programs_too_large =
    "No pool fits on {device}: weights and programs alone need {missing} more than it has.";
inline constexpr std::string_view outputs_too_large =
    "No pool fits on {device}: weights, programs and the outputs of a run, {outputs}, take all of it.";
inline constexpr std::string_view largest_pool =
    "Largest pool on {device}: {pool}, next to {weights} of weights and {programs}.";
inline constexpr std::string_view largest_pool_by_arguments =
    "If the arguments of {program} are the weights ({weights}), the largest pool on {device} is {pool}, next to "
    "{programs}.";
inline constexpr std::string_view needs_most = "{program} needs the most: {scratch} of scratch.";
inline constexpr std::string_view more_memory =
    "Use more devices or a larger one, quantise the weights, or leave out the largest program (a shorter prefill, a "
    "smaller batch).";
inline constexpr std::string_view flags = "\nSet one of these first:\n"
                                          "  vLLM    --gpu-memory-utilization {share}\n"
                                          "  SGLang  --mem-fraction-static {share}\n";
inline constexpr std::string_view meaning_of_flags =
    "Both are the share of the device for weights and pool together, rounded down.";
inline constexpr std::string_view pool_without_outputs =
    "Without room for these outputs, all programs load next to a pool of {pool}; a run then fails. Donated arguments "
    "make such outputs unnecessary.";
inline constexpr std::string_view next_without_pool = "Next larger device, {device}: no room for a pool either.";
inline constexpr std::string_view next_pool = "Next larger device, {device}: a pool of {pool}, set as {share}.";

// Order of loads.
inline constexpr std::string_view order = "\nLoad in this order, so that a start that cannot succeed fails at once:\n";
inline constexpr std::string_view load_program =
    "{number}. {program}: {scratch} of scratch, {code} of code and constants";
inline constexpr std::string_view load_others = "{number}. {programs}";
inline constexpr std::string_view load_weights = "{number}. the weights";
inline constexpr std::string_view load_pool = "{number}. the pool, sized from what is then free (memory_stats())";

// Use of the memory.
inline constexpr std::string_view use = "\nUse of the memory:\n";
inline constexpr std::string_view use_weights = "weights: {source}";
inline constexpr std::string_view use_scratch = "scratch of {program}; programs share it, so only the largest counts";
inline constexpr std::string_view use_code = "code and constants of {programs}";
inline constexpr std::string_view use_outputs = "outputs of a run in new memory, at most";
inline constexpr std::string_view use_pool = "pool";
inline constexpr std::string_view weights_of_program = "arguments of {program} that it does not donate";
inline constexpr std::string_view weights_of_option = "from --weights";
inline constexpr std::string_view weights_of_profile = "all buffers of {file}";

// Failed starts.
inline constexpr std::string_view no_pool_helps = "No pool lets {program} load on {device}: alone it needs {need}.";
inline constexpr std::string_view smaller_program =
    "First make that program smaller (a shorter prefill, a smaller batch), spread it over more devices, or take a "
    "larger device.";
inline constexpr std::string_view unknown_excess =
    "The pool left {program} too little room on {device}. The log does not say by how much: the message is cut.";
inline constexpr std::string_view bring_whole_message = "Bring the whole message first, to the end of its line.";
inline constexpr std::string_view pool_too_large =
    "The pool was {missing} too large, or more: these bytes were missing, counting what rounding hides.";
inline constexpr std::string_view enough_here =
    "That was on a device with {capacity}. On {device} a pool of that size leaves the program room.";
inline constexpr std::string_view too_large_here =
    "That was on a device with {capacity}. On {device} a pool of that size is {excess} too large.";
inline constexpr std::string_view needs_most_and_failed = "{program} needs the most, and did not load.";
inline constexpr std::string_view lower_share =
    "First lower --gpu-memory-utilization (vLLM) or --mem-fraction-static (SGLang) by {share}, or by more: a start "
    "stops at its first failure, and programs after it are not in the log.";
inline constexpr std::string_view bring_weights =
    "With --weights SIZE, or with the folder of the dump in place of the log, the answer is the pool itself.";
inline constexpr std::string_view failed_loads = "\nFailed loads:\n";
/// Of scratch, and of code; without and with the bytes that were missing.
inline constexpr std::string_view failed_load[2][2] = {
    {"{program}: {need} of scratch", "{program}: {need} of scratch, {missing} more than there was"},
    {"{program}: {need} of code and constants",
     "{program}: {need} of code and constants, {missing} more than there was"}};
inline constexpr std::string_view unnamed_program = "a program without a name";

// Notes.
inline constexpr std::string_view assumed_device = "No --capacity was given: {device} is assumed.";
inline constexpr std::string_view nothing_donated =
    "Note: {program} donates nothing, so a KV cache among its arguments counts as weights here: --weights SIZE sets "
    "them.";
inline constexpr std::string_view cache_donated =
    "Note: {program} donates {donated} of arguments, the KV cache for which it was compiled if it donates nothing "
    "else.";
inline constexpr std::string_view unknown_scratch =
    "Note: the scratch of {programs} is unknown and counts as nothing, so the pool may be too large: bring the "
    "*after_optimizations-buffer-assignment.txt.";
inline constexpr std::string_view unknown_code =
    "Note: the code of {programs} is unknown and counts as nothing: compiled.memory_analysis() in JAX prints it as "
    "generated_code_size_in_bytes. Add it with FOLDER:code=SIZE, for each program.";
inline constexpr std::string_view later_programs =
    "Note: a log names only the program that failed: the pool can be smaller than this for programs that would have "
    "followed.";

// Errors.
inline constexpr std::string_view no_failed_load = "no failed load of a program";
inline constexpr std::string_view log_or_dump = "a log with `Error loading program`, or the folder of an XLA dump";
inline constexpr std::string_view no_weights =
    "--serve: found no program whose arguments may be weights: helpers of JAX, or less than a thousandth of the "
    "device; expected --weights SIZE, such as --weights 14.2GiB";
inline constexpr std::string_view weights_without_unit =
    "--weights: found {bytes}, expected a size with its unit, such as {number}GiB";
inline constexpr std::string_view other_weights =
    "--weights: found {weights}, expected a size such as 14.2GiB, the path of a memory profile of JAX, or the name of "
    "a program{nearest}";
inline constexpr std::string_view memory_profile = "a device memory profile of JAX with --weights";
inline constexpr std::string_view one_capacity =
    "--serve needs one --capacity, a size such as 15.75GiB or a generation such as v5e";
inline constexpr std::string_view smaller_than_log =
    "--serve: the log says that the device has {least} or more, more than --capacity has ({capacity}): name the device "
    "of the log";
inline constexpr std::string_view larger_than_known =
    "--serve: the log says that the device has {least} or more, more than any TPU known here has: give --capacity";

}  // namespace hbm::compare::serving_texts
