#pragma once

/// Every error and warning about a command line, with placeholders in braces. `expected` is a value that an option
/// takes.

#include <string_view>

namespace hbm::compare::texts {

// Options.
inline constexpr std::string_view found_in_value = "{option}: found {found}, expected {expected}";
inline constexpr std::string_view needs_value = "{option} needs {expected}";
inline constexpr std::string_view takes_no_value = "{option}: found {found}, expected nothing: it takes no value";
inline constexpr std::string_view repeated_option = "{option} is given more than once; the last one counts";
inline constexpr std::string_view unknown_option = "unknown option {option}{nearest} All options: hbm_compare --help";
inline constexpr std::string_view unknown_argument =
    "{argument} is neither an option nor a file. All options: hbm_compare --help";
inline constexpr std::string_view folder_without_option =
    "{quoted} is a folder: --program {folder} replays the programs of its dump, --serve {folder} finds the largest KV "
    "pool next to them.";
inline constexpr std::string_view comma_in_capacity =
    "--capacity: found {found}, in which a comma separates two sizes; expected a point: {expected}";
inline constexpr std::string_view capacity_of_a_byte =
    "--capacity: found 1 byte, less than a quantum of {quantum}, expected a size with its unit, such as 1GiB";
inline constexpr std::string_view tiny_capacity =
    "--capacity: found {bytes} bytes, less than a quantum of {quantum}, expected a size with its unit, such as "
    "{bytes}GiB";

// Values.
inline constexpr std::string_view capacity_value =
    "unlimited, min, a size such as 15.75GiB or 16GB (K, M, G or T), or a generation: {generations}";
inline constexpr std::string_view in_flight_value = "unlimited, or a whole number from 0 to {most}";
inline constexpr std::string_view seed_value =
    "a whole number from 0 to 18446744073709551615; for several seeds run the program several times";
inline constexpr std::string_view help_value = "a topic: {topics}";
inline constexpr std::string_view help_value_nearest = "a topic: {topics}{nearest}";
inline constexpr std::string_view program_value = "{expected}, in place of {found}";
inline constexpr std::string_view program_key =
    "one of the keys runs, every, name, donate, share, with, code and temp in place of {found}{nearest}";
inline constexpr std::string_view alternatives = "{others} or {last}";

// Lists.
inline constexpr std::string_view repeated_source = "{value} is given more than once and compared once";
inline constexpr std::string_view repeated_value = "{option}: {value} is given more than once and compared once";

// Files.
inline constexpr std::string_view not_written = "cannot write {file}: {error}";
inline constexpr std::string_view found_folder = "{file}: found a folder, expected the path of a file";
inline constexpr std::string_view needs_path =
    "{option}: found -, expected the path of a file: stdout is for the comparison";
inline constexpr std::string_view overwritten = "{file}: found {role}, expected a path that may be overwritten";
inline constexpr std::string_view same_file = "{first} and {second} name the same file";
inline constexpr std::string_view holds_program =
    "{file} holds a program of an XLA dump: `hbm_compare --program {file}`";
inline constexpr std::string_view holds_profile =
    "{file} holds a memory profile of JAX: `hbm_compare --growth --trace {file}` lists who holds what";
inline constexpr std::string_view holds_samples =
    "{file} holds samples of the memory in use, which say whether it grows: `hbm_compare --growth --trace {file}`";
inline constexpr std::string_view holds_message =
    "{file} holds an out-of-memory message: `hbm_compare --message {file}`";

}  // namespace hbm::compare::texts
