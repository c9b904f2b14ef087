#pragma once

/// The table of options, from which the command line is read and --help is written.

#include <span>
#include <string>
#include <string_view>

#include "compare/options.hpp"

namespace hbm::compare {

/// An option.
struct option_rule {
    std::string_view group;    ///< the heading in --help
    std::string_view name;     ///< with its dashes
    std::string_view value;    ///< the name of its value in --help; empty for a switch
    std::string_view meaning;  ///< for --help; lines end with a newline
    bool repeats = false;      ///< may be given more than once
    /// Reads a value into the options; returns what was expected instead, or an empty text.
    std::string (*apply)(options&, std::string_view) = nullptr;
    bool takes_many = false;  ///< further values may follow the first, up to the next option: --describe A B C
};

/// All options in the order of --help.
[[nodiscard]] std::span<const option_rule> option_rules();

}  // namespace hbm::compare
