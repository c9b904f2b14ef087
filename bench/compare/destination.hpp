#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hbm::compare {

/// Where the result goes: stdout, or a file that is replaced as a whole or not at all.
class destination {
public:
    destination() = default;
    ~destination();
    destination(const destination&) = delete;
    destination& operator=(const destination&) = delete;

    /// Checks, before any work is done, that the file at `path` can be written; an empty path, or `-`, means stdout.
    /// Returns what is wrong, or an empty text. At most two destinations are open at a time.
    [[nodiscard]] std::string open(const std::string& path);

    /// Writes the whole result. Returns what is wrong, or an empty text.
    [[nodiscard]] std::string write(std::string_view text);

private:
    void forget_leftover();

    std::string path_;  // empty: stdout
    std::string
        temporary_;  // beside the file, renamed at the end; empty: written directly, because it is not a regular file
    std::size_t leftover_ = 0;  // index by which an interrupt finds `temporary_`
};

/// From then on an interrupt ends the program with status 130 and removes temporary files; and writing to a closed pipe
/// returns an error instead of ending the program.
void handle_signals();

}  // namespace hbm::compare
