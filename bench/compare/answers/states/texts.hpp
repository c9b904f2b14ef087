#pragma once

/// Every sentence on changes between two files, with placeholders in braces.

#include <string_view>

namespace hbm::compare::change_texts {

inline constexpr std::string_view as_much = "{now} holds as much as {before}: {now_bytes}, before {before_bytes}.";
inline constexpr std::string_view more =
    "{now} holds {difference} more than {before}: {now_bytes}, before {before_bytes}.";
inline constexpr std::string_view fewer =
    "{now} holds {difference} less than {before}: {now_bytes}, before {before_bytes}.";
inline constexpr std::string_view nothing_rose = "Nothing is new or has grown.";
inline constexpr std::string_view largest_is_new = "Largest rise: {name} is new, {bytes} in {blocks}.";
inline constexpr std::string_view largest_grew = "Largest rise: {name} grew by {bytes}.";
inline constexpr std::string_view no_change = "No name has other bytes or blocks.\n";
/// With and without a name that is new or grew.
inline constexpr std::string_view tables[] = {"\nLook first at what is new or grew:\n", "\nGone or smaller:\n"};
inline constexpr std::string_view counts = "{before} to {blocks}";
inline constexpr std::string_view more_changes = "  and {changes}\n";

// Names.
inline constexpr std::string_view no_tag = "without a tag";
inline constexpr std::string_view blocks_without_tag = "blocks without a tag";
inline constexpr std::string_view programs = "programs";
inline constexpr std::string_view further_tags = "further tags";
inline constexpr std::string_view named_argument = "argument {name}";
inline constexpr std::string_view numbered_argument = "argument {number} {shape}";
inline constexpr std::string_view output = "output {shape}";
inline constexpr std::string_view in_program = "{program}: {name}";

}  // namespace hbm::compare::change_texts
