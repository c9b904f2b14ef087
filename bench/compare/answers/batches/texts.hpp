#pragma once

/// Every sentence about the largest batch that fits, with placeholders in braces.

#include <string_view>

namespace hbm::compare::batch_texts {

// The largest batch.
inline constexpr std::string_view largest_measured =
    "The largest batch that fits {device} is {batch}, which is one of these.";
inline constexpr std::string_view largest_on_line =
    "The largest batch that fits {device} is {batch}, by the line through batches {batches}.";
inline constexpr std::string_view largest_certain =
    "Memory is not monotonic in the batch: of these batches {batch} is the largest that fits {device}, and no other is "
    "certain.";
inline constexpr std::string_view none_certain =
    "Memory is not monotonic in the batch: none of the batches {batches} fits {device}, and no other is certain.";
inline constexpr std::string_view none =
    "No batch fits {device}: even without the part that grows, the program needs {fixed}.";
/// For all memory and for temporaries; if no batch fits and if every one does.
inline constexpr std::string_view constant[2][2] = {
    {"The memory of the program does not grow with the batch: no batch fits {device}.",
     "The memory of the program does not grow with the batch: every batch fits {device}."},
    {"The temporaries of the program do not grow with the batch: no batch fits {device}.",
     "The temporaries of the program do not grow with the batch: every batch fits {device}."},
};

// The part that grows most.
inline constexpr std::string_view all_grows = "It grows by {all} for each more of the batch.";
inline constexpr std::string_view part_grows = "{part} grow by {growth} for each more of the batch.";
inline constexpr std::string_view part_and_all_grow =
    "{part} grow by {growth} for each more of the batch, all memory by {all}.";
inline constexpr std::string_view parts[] = {"Arguments", "Outputs", "Temporaries", "Constants"};

// Advice.
inline constexpr std::string_view compile_each =
    "Compile each batch that you would use: batch {lower} needs {lower_need}, and the smaller batch {before} needs "
    "{before_need}.";
inline constexpr std::string_view compile_first = "Compile batch {batch} first, then its neighbours: padding and "
                                                  "fusion differ from batch to batch, so a smaller batch "
                                                  "can need more.";
inline constexpr std::string_view smaller_program =
    "Make the program itself smaller first: fewer or narrower layers a device, recomputation, shorter sequences.";
inline constexpr std::string_view temporaries_only =
    "Note: not every text states more than temporaries, which are compared with all of the device. Arguments come on "
    "top: the batch that fits can be smaller.";

// Devices.
inline constexpr std::string_view assumed_device = "TPU {name} ({capacity}, assumed)";
inline constexpr std::string_view device_of_option = "{name} ({capacity})";
inline constexpr std::string_view device_of_messages = "the device of these messages ({capacity})";

// Warnings and errors.
inline constexpr std::string_view other_program =
    "{file} is about program '{program}', {first_file} about '{first_program}'; their batches may not be comparable";
inline constexpr std::string_view no_sample =
    "--batch: found {value}, expected N=FILE, a batch and the message or dump with it";
inline constexpr std::string_view one_sample =
    "--batch needs two or more N=FILE: messages or dumps of one program at different batches";
inline constexpr std::string_view repeated_batch =
    "--batch: found batch {batch} twice, {first} and {second}, expected each once";
inline constexpr std::string_view no_temporaries =
    "{file}: found a program without its temporaries, expected all of its memory, as the other texts";
inline constexpr std::string_view several_devices =
    "--batch: {first} is of a device of {first_capacity}, {second} of one of {second_capacity}: bring messages of one "
    "device, or give --capacity";
inline constexpr std::string_view no_message = "no message about the memory of a program";
inline constexpr std::string_view expected_message =
    "a failed compilation or load, memory_analysis(), or a file of an XLA dump";
inline constexpr std::string_view expected_program = "a file of one program, at one batch";
inline constexpr std::string_view unknown_temporaries = "a program whose temporaries no file states";
inline constexpr std::string_view expected_assignment = "its *after_optimizations-buffer-assignment.txt";

}  // namespace hbm::compare::batch_texts
