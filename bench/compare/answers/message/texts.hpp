#pragma once

/// Every sentence of the answer to an out-of-memory message, with placeholders in braces.

#include <string_view>

namespace hbm::imported::message_texts {

// Programs and arrays.
inline constexpr std::string_view unnamed_program = "the program";
inline constexpr std::string_view named_program = "program '{name}'";
inline constexpr std::string_view an_array = "an array";

// Headlines of the runtime's messages. `{rounding}`: a sentence of `rounding`, or nothing.
inline constexpr std::string_view shortage =
    "The device is full. Requested {asked}; {free} is free: {missing} short.{rounding}";
inline constexpr std::string_view fragmentation =
    "Enough memory is free, but not in one piece. Requested {asked}; {free} is free, but the longest piece has "
    "{piece}, which is {missing} too short.{rounding}";
inline constexpr std::string_view fragmentation_of_unknown =
    "Enough memory is free, but not in one piece. Requested {asked}; {free} is free. The message does not say how long "
    "the longest piece is.{rounding}";
inline constexpr std::string_view crowded =
    "{Program} does not fit next to what is in memory: it needs {asked}, and {free} is free: {missing} "
    "short.{rounding}";
inline constexpr std::string_view crowded_code =
    "{Program} does not fit next to what is in memory: it needs {asked} for its code and constants, and {free} is "
    "free: {missing} short.{rounding}";
/// Without and with scratch that is reserved already.
inline constexpr std::string_view crowded_scratch[] = {
    "{Program} does not fit next to what is in memory: it needs {asked} of scratch memory while it runs, and {free} is "
    "free: {missing} short.{rounding}",
    "{Program} does not fit next to what is in memory: it needs {asked} of scratch memory while it runs, of which "
    "{reserved} is reserved already, and {free} is free: {missing} short.{rounding}"};
inline constexpr std::string_view blocked[] = {
    "Enough memory is free, but something is in the way: {program} needs {asked} of scratch memory at the bottom of "
    "the device's memory, where the free piece has {piece}, which is {missing} too short. In all {free} is "
    "free.{rounding}",
    "Enough memory is free, but something is in the way: {program} needs {asked} of scratch memory at the bottom of "
    "the device's memory, where {reserved} is reserved already and the free piece above it has {piece}, which is "
    "{missing} too short. In all {free} is free.{rounding}"};
inline constexpr std::string_view blocked_by_unknown[] = {
    "Enough memory is free, but something is in the way: {program} needs {asked} of scratch memory at the bottom of "
    "the device's memory, where no free piece is long enough.{rounding}",
    "Enough memory is free, but something is in the way: {program} needs {asked} of scratch memory at the bottom of "
    "the device's memory, where {reserved} is reserved already and no free piece is long enough.{rounding}"};
/// Sizes that rounding could exchange: printed alike or nearly so; then too little is free, or too short pieces.
inline constexpr std::string_view rounding[2][2] = {
    {" Both are printed as {asked}: which is larger follows from the wording, which says nothing of pieces that are "
     "too short.",
     " Both are printed as {asked}: which is larger follows from the wording, which says that the pieces are too "
     "short."},
    {" The two are so close that rounding could hide which is larger; it follows from the wording, which says nothing "
     "of pieces that are too short.",
     " The two are so close that rounding could hide which is larger; it follows from the wording, which says that the "
     "pieces are too short."}};

// Headlines of the compiler's messages.
/// `{counting}`: one of `counted_parts`.
inline constexpr std::string_view too_large =
    "The program does not fit, even into empty memory: {counting}it needs {asked} of {capacity}, {missing} too much. "
    "Freeing memory does not help: the program itself has to become smaller.{arguments}";
inline constexpr std::string_view too_large_by =
    "The program does not fit, even into empty memory: {counting}it needs {missing} more than the device has. Freeing "
    "memory does not help: the program itself has to become smaller.{arguments}";
inline constexpr std::string_view too_large_for_unknown =
    "The program does not fit, even into empty memory: {counting}it needs {asked}, which is more than the device has. "
    "Freeing memory does not help: the program itself has to become smaller.{arguments}";
inline constexpr std::string_view counted_parts[] = {"", "with its arguments ",
                                                     "with its arguments and what the system reserves, "};
inline constexpr std::string_view arguments_exceed =
    " Its arguments alone are {bytes} more than the device has: weights, optimizer state and batch.";
inline constexpr std::string_view far_too_large =
    "The program is far too large: the compiler expects to need {asked}, {factor} the {capacity} that the device has, "
    "and gave up.";
inline constexpr std::string_view far_too_large_for_unknown =
    "The program is far too large: the compiler gave up before it had finished.";
inline constexpr std::string_view cores_too_large =
    "The program is too large: TensorCore and SparseCore together need {missing} more than the device has.";
inline constexpr std::string_view cores_too_large_for_unknown =
    "The program is too large: TensorCore and SparseCore together need more than the device has.";
inline constexpr std::string_view array_too_large =
    "A single array of the program takes {asked}, {factor} all the memory of the device ({capacity}).";
inline constexpr std::string_view array_just_too_large = "A single array of the program takes {asked}, which is "
                                                         "{missing} more than all the memory of the device "
                                                         "({capacity}).";
inline constexpr std::string_view array_too_large_for_unknown =
    "A single array of the program takes more than all the memory of the device.";
inline constexpr std::string_view many_times = "many times";
inline constexpr std::string_view times = "{number} times";
inline constexpr std::string_view temporaries_too_large =
    "The temporaries of {program} alone need {missing} more than the device has. Arguments come on top, so even more "
    "may be missing. Freeing memory does not help: the program itself has to become smaller.";

// Headlines of lists and warnings.
inline constexpr std::string_view list_alone =
    "This is a list of what a program uses. The line that says how much the device has is missing.";
inline constexpr std::string_view list_with_total =
    "The program uses {total} or more. The line that says how much the device has is missing; it would fit into: "
    "{devices}.";
inline constexpr std::string_view list_too_large =
    "The program uses {total} or more. The line that says how much the device has is missing, but no TPU known here "
    "has as much for a device.";
inline constexpr std::string_view rematerialization =
    "A warning of the compiler, not yet a failure: with everything recomputed that can be, the program still needs "
    "{asked}, {missing} more than its limit. If loading it then fails, this program is why.";
inline constexpr std::string_view rematerialization_of_unknown =
    "A warning of the compiler, not yet a failure: with everything recomputed that can be, the program still needs "
    "more than its limit. If loading it then fails, this program is why.";
inline constexpr std::string_view donated_without_effect =
    "A warning, not a failure: no output could take over these donated arguments: {shapes}. Together they have {bytes} "
    "or more, which the outputs need in addition.";
inline constexpr std::string_view donated_unknown_without_effect =
    "A warning, not a failure: no output could take over these donated arguments: {shapes}.";

// Headlines of messages that are cut, or contradict themselves.
inline constexpr std::string_view cut_array[] = {
    "An array of unknown size was requested and did not fit. The text does not say how much was free: the message is "
    "cut before it.",
    "An array of {asked} was requested and did not fit. The text does not say how much was free: the message is cut "
    "before it."};
inline constexpr std::string_view cut_scratch[] = {
    "There was no room for the scratch memory of {program} at the bottom of the device's memory. The text does not say "
    "how much was free: the message is cut before it.",
    "There was no room for {program}: {asked} of scratch memory at the bottom of the device's memory. The text does "
    "not say how much was free: the message is cut before it."};
inline constexpr std::string_view cut_code[] = {
    "There was no room for {program} on the device. The text does not say how much was free: the message is cut before "
    "it.",
    "There was no room for {program} on the device: {asked} for its code and constants. The text does not say how much "
    "was free: the message is cut before it."};
inline constexpr std::string_view cut_compile =
    "The program does not fit, even into empty memory. The text does not say by how much: the message is cut before "
    "its numbers. Freeing memory does not help: the program itself has to become smaller.";
inline constexpr std::string_view contradiction_of_need =
    "The message contradicts itself: {asked} is needed, and {enough} is reported as too little. It may be cut, or two "
    "messages may be mixed in it: bring the whole message, as it was printed.";
inline constexpr std::string_view contradiction_of_request =
    "The message contradicts itself: {asked} was requested, and {enough} is reported as too little. It may be cut, or "
    "two messages may be mixed in it: bring the whole message, as it was printed.";
inline constexpr std::string_view contradiction_of_unknown =
    "The message contradicts itself: {asked} is needed, and nothing is missing. It may be cut, or two messages may be "
    "mixed in it: bring the whole message, as it was printed.";

// Headlines on memories that are not the device's. `{need}`: one of the three below it, or nothing.
/// On the chip, and of the host.
inline constexpr std::string_view other_memory[] = {
    "{owner} needs too much of '{space}', a small memory on the chip{need}.{setting} The device's memory (HBM) is not "
    "short: freeing it does not help.",
    "{owner} needs too much of '{space}', memory of the host, to which a program can offload{need}.{setting} The "
    "device's memory (HBM) is not short: freeing it does not help."};
inline constexpr std::string_view unnamed_owner = "An operation or kernel of the program";
inline constexpr std::string_view named_owner = "'{name}'";
/// Limits that are set, of the SparseCore, and of a whole memory.
inline constexpr std::string_view need_and_limit[] = {", where {asked} is needed and {capacity} is allowed",
                                                      ", where {asked} is needed and {capacity} may be used",
                                                      ", where {asked} is needed and {capacity} exists"};
inline constexpr std::string_view excess_of_need = "{need}: {exceeded} too much";
inline constexpr std::string_view excess_alone = ", exceeded by {exceeded}";
inline constexpr std::string_view limit_is_setting = " That limit is a setting, and the chip may have more.";

// Numbers and their meaning.
inline constexpr std::string_view figures = "\nThe numbers (one device's memory, not the host's):\n";
inline constexpr std::string_view bars = "\nTo scale:\n";
inline constexpr std::string_view requested_array =
    "requested, in one piece: an array put on the device, or an output of a program";
inline constexpr std::string_view requested_scratch =
    "requested: scratch memory for temporaries while the program runs, at the bottom of memory";
inline constexpr std::string_view requested_program = "requested: the program, with its temporaries";
inline constexpr std::string_view requested_code = "requested: code and constants of the program, placed like an array";
inline constexpr std::string_view free_in_all = "free in all at the time of the request";
inline constexpr std::string_view longest_piece = "the longest free piece";
inline constexpr std::string_view reserved[] = {
    "reserved at the bottom already, for programs that were loaded before",
    "reserved at the bottom already, for programs that were loaded before; shared, and so part of the request"};
inline constexpr std::string_view reservable = "free in one piece directly above that";
inline constexpr std::string_view missing[] = {"missing: at least this much must become free", "missing in that piece"};
inline constexpr std::string_view memory_by_log = "all memory of the device, by the log around the message";
inline constexpr std::string_view ledger_temporaries = "of the program: temporaries";
inline constexpr std::string_view ledger_allocated = "in use by arrays and programs";
inline constexpr std::string_view ledger_outputs = "of that, or more: outputs of programs that ran";
inline constexpr std::string_view ledger_arguments = "of that, or more: arguments of the program";
inline constexpr std::string_view ledger_top_reserved = "reserved at the top of memory, for the system";
inline constexpr std::string_view memory_of_device = "all memory of the device";
inline constexpr std::string_view whole_program =
    "the program in all: arguments, temporaries, code, and outputs that take over nothing";
inline constexpr std::string_view arguments = "arguments: weights, optimizer state, batch";
inline constexpr std::string_view temporaries = "temporaries, such as activations and gradients";
inline constexpr std::string_view fresh_outputs = "outputs that take over no argument";
inline constexpr std::string_view code = "code and constants";
inline constexpr std::string_view the_array = "the array";
inline constexpr std::string_view needed = "needed by the program";
inline constexpr std::string_view tensor_core = "of it for the TensorCore";
inline constexpr std::string_view sparse_core = "of it for the SparseCore";
inline constexpr std::string_view available = "available to programs";
inline constexpr std::string_view too_much = "too much";
inline constexpr std::string_view system_reserved[] = {"reserved by the system, and in neither of the above",
                                                       "reserved by the system, and part of the need"};
inline constexpr std::string_view unknown = "unknown";
inline constexpr std::string_view arguments_omitted = "arguments (0B means that the message omits them)";
inline constexpr std::string_view arguments_unstated =
    "arguments: the message does not state them, and leaves them out of its total";
inline constexpr std::string_view own_of_program = "the program itself, with its temporaries";
inline constexpr std::string_view temporaries_of_that = "of that: temporaries, such as activations and gradients";
inline constexpr std::string_view padding_of_temporaries = "of the temporaries: padding";
inline constexpr std::string_view gaps_of_temporaries = "of the temporaries: lost in gaps between them";
inline constexpr std::string_view constants_of_program = "of the program: constants and the like";
inline constexpr std::string_view uncounted_outputs =
    "outputs that take over no argument: needed in addition, and in no total above";

// Largest allocations.
inline constexpr std::string_view largest = "\nLargest allocations of the program:\n";
inline constexpr std::string_view more_groups = "  and {groups}\n";
inline constexpr std::string_view size_unknown = "size unknown";
inline constexpr std::string_view size_unpadded = "{size} without padding";

// Places of messages.
inline constexpr std::string_view place = "(line {line}{device}{replicas}{times})\n";
inline constexpr std::string_view place_device = ", device {value}";
inline constexpr std::string_view place_replicas = ", {value}";
inline constexpr std::string_view place_times = ", there {value} times";
inline constexpr std::string_view retry =
    "This is a retry: the process failed before, at line {line}, and went on. Its leftovers lie in pieces now. Start a "
    "new process for each attempt, with the smaller batch from the beginning.";
inline constexpr std::string_view unread = "Note: {place}. That figure is left out.";
inline constexpr std::string_view several[] = {"{count} different messages found.\n\n",
                                               "More than {count} different messages found.\n\n"};
inline constexpr std::string_view other_messages =
    "Other messages, between the second and the last; give one alone to learn more:";
inline constexpr std::string_view other_message = "  line {line}: ";
inline constexpr std::string_view more_messages = "  and {count} more\n";

// Files to provide next.
inline constexpr std::string_view next_batch =
    "Not in the message: when each array lives. A smaller batch that compiles tells more: "
    "`jax.jit(f).lower(...).compile().memory_analysis()`.";
/// Without and with a list of the largest arrays.
inline constexpr std::string_view next_dump[] = {
    "Not in the message: which arrays take the most. Set XLA_FLAGS=--xla_dump_to=DIR and run again; then `hbm_compare "
    "--message LOG --describe FILE` says what could be donated, FILE being the program's "
    "DIR/module_*after_optimizations.txt. A smaller batch that compiles tells the rest: "
    "`jax.jit(f).lower(...).compile().memory_analysis()`.",
    "Not in the message: when each array lives, and which argument is which. Set XLA_FLAGS=--xla_dump_to=DIR and run "
    "again; then `hbm_compare --message LOG --describe FILE` says what could be donated, FILE being the program's "
    "DIR/module_*after_optimizations.txt. A smaller batch that compiles tells the rest: "
    "`jax.jit(f).lower(...).compile().memory_analysis()`."};
/// Without and with a ledger that says what kinds of arrays are in use.
inline constexpr std::string_view next_profile[] = {
    "Not in the message: whose memory it is that is in use. Just before the line that fails, call "
    "`jax.profiler.save_device_memory_profile('memory.prof')`; then `hbm_compare --growth --trace memory.prof` lists "
    "who holds what. LIBTPU_INIT_ARGS=--tpu_log_allocations_on_oom=true, set before the process starts, lets the "
    "runtime list all allocations when it fails.{program}",
    "Not in the message: names for the arrays in use. Just before the line that fails, call "
    "`jax.profiler.save_device_memory_profile('memory.prof')`; then `hbm_compare --growth --trace memory.prof` lists "
    "who holds what. LIBTPU_INIT_ARGS=--tpu_log_allocations_on_oom=true, set before the process starts, lets the "
    "runtime list all allocations when it fails.{program}"};
inline constexpr std::string_view next_program =
    " What a program needs is in the files that XLA_FLAGS=--xla_dump_to=DIR writes: `hbm_compare --describe "
    "DIR/module_*after_optimizations.txt`.";

// Another device. `{verdict}`: one of `verdicts`.
inline constexpr std::string_view named_device = "TPU {name} ({capacity})";
inline constexpr std::string_view unnamed_device = "a device of {capacity}";
inline constexpr std::string_view fits = "{need}, which fits: {left} would be left";
inline constexpr std::string_view does_not_fit = "{need}, which does not fit: {missing} would be missing";
inline constexpr std::string_view may_fit = "{need}, which fits or not by what rounding hides";
inline constexpr std::string_view elsewhere_array = "On {device}: that array takes {verdict}.";
inline constexpr std::string_view elsewhere_temporaries = "On {device}: the temporaries alone take {verdict}.";
inline constexpr std::string_view elsewhere_program[] = {"On {device}: {program} needs {verdict}.",
                                                         "On {device}: {program}, with its outputs, needs {verdict}."};
inline constexpr std::string_view elsewhere_request = "On {device}: the request alone is {verdict}.";
inline constexpr std::string_view elsewhere_request_fits =
    "On {device}: the request alone is {verdict} for all other arrays and programs. The message does not say how much "
    "they take.";
inline constexpr std::string_view elsewhere_in_use =
    "On {device}: the request, with the {in_use} now in use, is {verdict}.";
inline constexpr std::string_view elsewhere_unknown_need =
    "On {device}: not known, because the message does not say how much the program needs.";
inline constexpr std::string_view elsewhere_unknown_request =
    "On {device}: not known, because the message does not say how much was requested.";
inline constexpr std::string_view elsewhere_other_memory =
    "On {device}: not known, because the message is about another memory than the device's.";
inline constexpr std::string_view elsewhere_donation =
    "On {device}: the same warning, because it does not depend on the memory.";
inline constexpr std::string_view arguments_on_top = " Arguments come on top; the message does not state them.";
inline constexpr std::string_view rest_on_top = " The rest of the program comes on top.";
inline constexpr std::string_view early_estimate = " The figure is the compiler's early estimate.";
inline constexpr std::string_view compiled_anew =
    " The compiler decides anew for each device and may need a little more or less there.";
inline constexpr std::string_view larger_pool =
    " A server makes its KV pool larger there, too: `hbm_compare --serve` finds a pool that leaves room.";
inline constexpr std::string_view blocked_there = " Arrays may lie in the way there, too.";

// Memory in use on each device of a log.
inline constexpr std::string_view one_device = "Before it, the log has {most} of {limit} in use.";
inline constexpr std::string_view equal_devices =
    "Before it, the log has {most} of {limit} in use on each of {count} devices.";
inline constexpr std::string_view differing_devices =
    "Devices differ: before it, the log has {most} of {limit} in use on {fullest}, and {least} on {emptiest}. Look for "
    "arrays on one device alone, such as those made without a sharding: `jax.device_put(x, sharding)` spreads them.";
inline constexpr std::string_view device_of_log = "device {name}";
inline constexpr std::string_view only_device = "the device";

// Modules that are brought with a message.
inline constexpr std::string_view other_program =
    "Warning: the message is about {programs}, this module is '{module}'. The donations below may not apply to the "
    "program that failed.";
inline constexpr std::string_view nothing_to_donate = "Donation: {module} leaves nothing to donate.\n";
inline constexpr std::string_view named_donations = "With the arguments of donate= donated, a run holds {saving} less.";
inline constexpr std::string_view outputs_not_missing = "Note: the missing {missing} leaves outputs out, which come on "
                                                        "top. Donation saves these, not that.";
inline constexpr std::string_view donation_not_enough =
    "Note: of the missing {missing}, donation saves {saving}: it alone is not enough.";
inline constexpr std::string_view no_donation_request = "--describe: found {request}, expected {expected}";
inline constexpr std::string_view no_module_request =
    "--describe: found {request}, expected a module, alone or with donate=all or numbers of arguments such as "
    "donate=0+3-5";

}  // namespace hbm::imported::message_texts
