#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// Destination of the result: stdout, or a file that is replaced as a whole or not at all.
class destination {
public:
    destination() = default;
    ~destination();
    destination(const destination&) = delete;
    destination& operator=(const destination&) = delete;

    /// Checks, before any work is done, that the file at `path` can be written; an empty path, or `-`, means stdout.
    /// Returns an error message, or an empty text. At most sixteen destinations are open at a time.
    [[nodiscard]] std::string open(const std::string& path);

    /// Writes the whole result. Returns an error message, or an empty text.
    [[nodiscard]] std::string write(std::string_view text);

    /// Writes a piece of the result. After the last, `finish` replaces the file; without it the file stays as it was.
    [[nodiscard]] std::string append(std::string_view text);
    [[nodiscard]] std::string finish();

private:
    [[nodiscard]] std::string not_written() const;
    /// Returns true if the last error was a closed pipe, as by `| head`: its reader has enough, which is no failure.
    [[nodiscard]] bool has_no_reader() const;
    void forget_leftover();

    std::string path_;  // empty: stdout
    std::string
        temporary_;  // next to the file, renamed at the end; empty: written directly, because it is not a regular file
    std::size_t leftover_ = 0;   // index by which an interrupt finds `temporary_`
    std::FILE* file_ = nullptr;  // while pieces are written
};

/// Installs handlers: an interrupt ends the program with status 130 and removes temporary files, unless a
/// `stop_request` takes it. Writing to a closed pipe returns an error instead of ending the program.
void handle_signals();

/// Returns the length of the longest line of the result: COLUMNS, else the width of the terminal, else 120. 120 for a
/// file.
[[nodiscard]] std::size_t terminal_width(const options& settings);

/// Returns the text for people with lines that the screen holds: of COLUMNS or of the terminal. Unchanged for a file,
/// or a pipe without COLUMNS, which programs may read line by line.
[[nodiscard]] std::string fit_screen(const options& settings, const std::string& text);

/// Returns true if both paths mean a single file, existing or not.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

/// Finds an input file that a result would replace, or two results in a single file or on stdout. Returns the error, or
/// an empty text.
[[nodiscard]] std::string find_overwritten(const options& settings);

}  // namespace hbm::compare
