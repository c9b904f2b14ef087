#pragma once

/// How a run ends, and what it says on stderr.

#include <string>
#include <vector>

#include "compare/command_line/destination.hpp"
#include "compare/command_line/options.hpp"

namespace hbm::compare {

namespace exit_status {

inline constexpr int done = 0;           ///< a manager that runs out of memory is a result, and no failure
inline constexpr int failed = 1;         ///< the run itself failed, or a check did
inline constexpr int wrong = 2;          ///< wrong usage or unreadable input
inline constexpr int interrupted = 130;  ///< the result, if there is one, is partial

}  // namespace exit_status

/// Says what is wrong, without what steers a terminal. Returns `status`.
int complain(const std::string& what, int status);

/// Warnings, unless -q was given.
void warn(const options& asked, const std::vector<std::string>& all);

/// A remark that is no warning.
void tell_note(const std::string& what);

/// Writes a result; complains if that fails. Returns the status of the run.
[[nodiscard]] int deliver(destination& to, const std::string& text);

/// Opens the result of a command that writes nothing else, and writes it. Returns the status of the run.
[[nodiscard]] int deliver(const options& asked, const std::string& text);

/// What is wrong with a trace; and if it is no trace at all, the option that reads such a file.
[[nodiscard]] std::string with_option(const options& asked, const std::string& problem);

}  // namespace hbm::compare
