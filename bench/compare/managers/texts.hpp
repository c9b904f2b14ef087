#pragma once

/// Every error about the choice of managers, and every sentence about their plans and failures, with placeholders in
/// braces.

#include <string_view>

namespace hbm::compare::texts {

// Choice of managers.
inline constexpr std::string_view unknown_manager =
    "{option}: no manager is called {name}; close names are {names}. All names: hbm_compare --list";
inline constexpr std::string_view unmatched_pattern =
    "--manager: no manager is called {name}. All names: hbm_compare --list";
inline constexpr std::string_view unknown_policy =
    "--manager: no manager is called {name}; no policy is called {policy}{nearest} All names: hbm_compare --list";
inline constexpr std::string_view repeated_manager = "two managers are called `{name}`; give yours another name";

// Names.
inline constexpr std::string_view model_and_manager = "{models}: {manager}";
inline constexpr std::string_view own_manager = "your own";
inline constexpr std::string_view short_name = "short name {name}";
inline constexpr std::string_view name_of_manager = "{name} = {manager}";
inline constexpr std::string_view name_of_model = "{name} = {manager}: {models}";
inline constexpr std::string_view group_name = "{name} (and {count} more)";

// Imports of a range that is taken.
inline constexpr std::string_view import_beyond_end =
    "{error}; requested: {size} at {begin}, and the memory ends at {end}";
inline constexpr std::string_view import_over_buffer =
    "{error}; requested: {size} at {begin}, to {end}, where buffer '{buffer}' of {taken} lies at {offset}";
inline constexpr std::string_view import_over_program =
    "{error}; requested: {size} at {begin}, to {end}, where the code of a program lies, or memory that programs have "
    "reserved";

}  // namespace hbm::compare::texts
