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

}  // namespace hbm::compare::batch_texts
