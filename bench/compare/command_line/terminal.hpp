#pragma once
/// What a terminal shows: messages on stderr, and lines that it can hold.

#include <cstddef>
#include <string>
#include <vector>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

namespace exit_status {

inline constexpr int done = 0;           ///< a manager that runs out of memory is a result, not a failure
inline constexpr int failed = 1;         ///< the run itself failed
inline constexpr int invalid = 2;        ///< invalid usage or unreadable input
inline constexpr int interrupted = 130;  ///< the result, if there is one, is partial

}  // namespace exit_status

/// Prints a message on stderr without characters that steer a terminal.
void print_error(const std::string& message);

/// Prints warnings, unless -q was given.
void print_warnings(const options& settings, const std::vector<std::string>& warnings);

/// Returns the length of the longest line of the result: COLUMNS, else the width of the terminal, else 120. 120 for a
/// file.
[[nodiscard]] std::size_t terminal_width(const options& settings);

/// Returns the text for people with lines that the screen holds: of COLUMNS or of the terminal. Unchanged for a file,
/// or a pipe without COLUMNS, which programs may read line by line.
[[nodiscard]] std::string fit_screen(const options& settings, const std::string& text);

}  // namespace hbm::compare
