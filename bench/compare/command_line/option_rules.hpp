#pragma once

/// The table of options, from which the command line is read and --help is written.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// What a value should have been; readers of values throw it.
struct bad_value {
    std::string expected;
};

/// Set of tasks, a bit each.
using task_set = std::uint32_t;

/// Returns the set of these tasks.
template <class... Tasks>
[[nodiscard]] constexpr task_set tasks(Tasks... all) noexcept {
    return ((task_set{1} << static_cast<unsigned>(all)) | ...);
}

/// Traits of an option, as bits.
enum option_traits : unsigned {
    plain = 0,
    written = 1,         ///< its value is a file that is written
    repeats = 2,         ///< it may be given more than once
    takes_many = 4,      ///< further values may follow the first, up to the next option: --describe A B C
    optional_value = 8,  ///< a following argument is its value only if it is not an option
};

/// An option.
struct option_rule {
    std::string_view topic;                     ///< topic of --help
    std::string_view name;                      ///< name with its dashes
    std::string_view value;                     ///< name of its value in --help; empty for a switch
    void (*apply)(options&, std::string_view);  ///< reads a value; throws `bad_value`
    std::string_view meaning;                   ///< its line of --help
    std::string_view more = {};                 ///< further lines in its topic, each with its line end
    task_set counts_for = ~task_set{0};         ///< tasks that heed it; next to others it is an error
    unsigned traits = plain;                    ///< `option_traits`
    task what = task::compare;                  ///< task that it asks for
};

/// Returns all options in the order of --help.
[[nodiscard]] std::span<const option_rule> option_rules();

/// Returns the rule of an option, by its name with dashes; null if there is none. Cost: O(options).
[[nodiscard]] const option_rule* find_rule(std::string_view name);

}  // namespace hbm::compare
