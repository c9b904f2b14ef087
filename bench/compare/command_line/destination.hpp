#pragma once
/// Where a result goes.

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// Destination of a result: stdout, or a file that is replaced as a whole or not at all.
class destination {
public:
    destination() = default;
    ~destination();
    destination(const destination&) = delete;
    destination& operator=(const destination&) = delete;

    /// Checks, before any work is done, that the file at `path` can be written; an empty path, or `-`, means stdout.
    /// Throws `usage_error`. Requires: at most eight destinations are open at a time.
    void open(const std::string& path);

    /// Writes the whole result. Throws `run_error`.
    void write(std::string_view text);

    /// Writes a piece of the result. After the last, `finish` replaces the file; without it the file stays as it was.
    /// Both throw `run_error`.
    void append(std::string_view text);
    void finish();

private:
    void check_written(bool is_written) const;

    std::string path_;  // empty: stdout
    std::string
        temporary_;  // beside the file, renamed at the end; empty: none, and what is not a regular file has none
    std::FILE* file_ = nullptr;  // while pieces are written
};

/// Installs handlers: an interrupt ends the program with status 130 and removes temporary files, unless a
/// `stop_request` takes it. Writing to a closed pipe returns an error instead of ending the program.
void handle_signals();

/// Writes the result of a command that writes nothing else. Throws `usage_error` and `run_error`.
void deliver(const options& settings, const std::string& text);

/// Like `deliver()`, for text that people read: its lines fit the screen, and nothing in it steers a terminal.
void deliver_text(const options& settings, const std::string& text);

}  // namespace hbm::compare
