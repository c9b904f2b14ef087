#pragma once

/// The table of options, from which the command line is read and --help is written.

#include <span>
#include <string>
#include <string_view>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// An option.
struct option_rule {
    std::string_view group;  ///< heading in --help
    std::string_view name;   ///< name with its dashes
    std::string_view value;  ///< name of its value in --help; empty for a switch
    /// Reader of a value into the options; returns the expected text, or an empty one.
    std::string (*apply)(options&, std::string_view) = nullptr;
    std::string_view meaning;  ///< text for --help; lines end with a newline
    bool repeats = false;      ///< true if it may be given more than once
    bool takes_many = false;   ///< true if further values may follow the first, up to the next option: --describe A B C
    /// Reset of an option whose value is a list with commas; `apply` then reads item by item.
    void (*clear)(options&) = nullptr;
    bool is_value_optional = false;  ///< true if a following argument is its value only if it is not an option
};

/// Returns all options in the order of --help.
[[nodiscard]] std::span<const option_rule> option_rules();

/// Returns the rule of an option, by its name with dashes; null if there is none. Cost: O(options).
[[nodiscard]] const option_rule* find_rule(std::string_view name);

/// Reads a value, or a list of them, into the options. A list begins anew if `is_first`. Returns the text expected
/// instead of `item`, a part of `value`, or an empty text.
[[nodiscard]] std::string apply_rule(const option_rule& rule, options& settings, std::string_view value, bool is_first,
                                     std::string_view& item);

}  // namespace hbm::compare
