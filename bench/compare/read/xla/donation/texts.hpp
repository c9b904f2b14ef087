#pragma once

/// Every sentence on donation and padding in a program, with placeholders in braces.

#include <string_view>

namespace hbm::imported::donation_texts {

inline constexpr std::string_view exact_bytes = "{size} ({bytes} bytes)";
/// For one device, and for several without and with the share of each.
inline constexpr std::string_view donation[] = {
    "Donation: {arguments} could be donated. A run would hold {saved} less.\n",
    "Donation: {arguments} could be donated. A run would hold {saved} less on {devices} devices together.\n",
    "Donation: {arguments} could be donated. A run would hold {saved} less on {devices} devices together, {share} on "
    "each.\n"};
/// Arguments of one shape, for outputs of their shape and of another one. The last three are those below, or nothing.
inline constexpr std::string_view group[] = {
    "  {count} x {bytes}  {shape}: {arguments}{label}{alternatives}\n",
    "  {count} x {bytes}  {shape} for an output {output}: {arguments}{label}{alternatives}\n"};
inline constexpr std::string_view argument = "argument {numbers}";
inline constexpr std::string_view arguments = "arguments {numbers}";
/// Label of a single argument, and of the first of several.
inline constexpr std::string_view label[] = {" ({label})", " ({label} and {others} more)"};
inline constexpr std::string_view alternatives = "; {count} arguments have this size, so others may serve";
inline constexpr std::string_view smaller_groups = "  {arguments}: {bytes}\n";
inline constexpr std::string_view advice =
    "  Donate only what nothing uses after the call. Numbers count the compiled program's arguments: the leaves of "
    "all\n"
    "  arguments in order, without those that the program does not use. donate_argnums names the arguments that hold "
    "them.\n";
inline constexpr std::string_view all_pairs =
    "  All pairs, and input_output_alias as a whole, are under \"donation\" in what this prints:\n"
    "  hbm_compare --describe {file}\n";
inline constexpr std::string_view without_effect =
    "Donated without effect: {count} of {bytes}, as no output has the size: {arguments}.\n";
inline constexpr std::string_view padding =
    "Padding: arguments and fresh outputs hold {bytes} that are no elements: tiles round dimensions up.\n";
inline constexpr std::string_view padded_group =
    "  {count} x {shape}: {elements} of elements take {bytes}; {padding} of padding in all\n";
inline constexpr std::string_view further_padding = "  {shapes}: {padding} of padding\n";

}  // namespace hbm::imported::donation_texts
