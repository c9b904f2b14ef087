#pragma once

/// One table of options, from which the command line is read and --help is written.

#include <span>
#include <string>
#include <string_view>

#include "compare/options.hpp"

namespace hbm::compare {

/// One option.
struct option_rule {
    std::string_view group;    ///< the heading in --help
    std::string_view name;     ///< with its dashes
    std::string_view value;    ///< what stands after it; empty for a switch
    std::string_view meaning;  ///< for --help; lines end with a newline
    bool repeats = false;      ///< may be given more than once
    /// Takes the value over; returns what was expected instead, empty when all is well.
    std::string (*apply)(options&, std::string_view) = nullptr;
};

/// All options in the order of --help.
[[nodiscard]] std::span<const option_rule> option_rules();

}  // namespace hbm::compare
