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

    /// Makes sure, before any work is done, that the file at `path` can be written; an empty path means stdout. Returns
    /// what is wrong, empty when all is well. At most two are open at a time.
    [[nodiscard]] std::string open(const std::string& path);

    /// Writes the whole result. Returns what is wrong, empty when all is well.
    [[nodiscard]] std::string write(std::string_view text);

private:
    void forget_leftover();

    std::string path_;  // empty: stdout
    std::string
        temporary_;  // beside the file, renamed at the end; empty: the file itself is written, for it is no plain file
    std::size_t leftover_ = 0;  // where an interrupt finds `temporary_`
};

/// From now on an interrupt ends the program with status 130, leaves no file after and nothing half-written; and
/// writing to a closed pipe is an error that can be seen.
void handle_signals();

}  // namespace hbm::compare
