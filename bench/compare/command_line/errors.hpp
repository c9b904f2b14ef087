#pragma once
/// The status of a run, and its messages on stderr.

#include <string>
#include <vector>

#include "compare/command_line/destination.hpp"
#include "compare/command_line/options.hpp"

namespace hbm::compare {

namespace exit_status {

inline constexpr int done = 0;           ///< a manager that runs out of memory is a result, not a failure
inline constexpr int failed = 1;         ///< the run itself failed, or a check did
inline constexpr int invalid = 2;        ///< invalid usage or unreadable input
inline constexpr int interrupted = 130;  ///< the result, if there is one, is partial

}  // namespace exit_status

/// Error of a host whose memory is used up.
inline constexpr char no_memory[] = "the host's memory does not suffice for these traces";

/// Prints an error message without characters that steer a terminal. Returns `status`.
int print_error(const std::string& message, int status);

/// Prints warnings, unless -q was given.
void print_warnings(const options& settings, const std::vector<std::string>& warnings);

/// Prints a remark that is not a warning.
void print_note(const std::string& note);

/// Writes a result, or prints an error. Returns the status of the run.
[[nodiscard]] int deliver(destination& to, const std::string& text);

/// Opens the result of a command that writes nothing else, and writes it. Returns the status of the run.
[[nodiscard]] int deliver(const options& settings, const std::string& text);

/// Like `deliver()`, for text that people read: its lines fit the screen, and nothing in it steers a terminal.
[[nodiscard]] int deliver_text(const options& settings, const std::string& text);

}  // namespace hbm::compare
