#pragma once

/// Files for viewers: --perfetto, --series.

#include <memory>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/command_line/options.hpp"
#include "compare/export/viewer_file.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Files of a command line. They are opened before the comparison, to find unwritable paths at once, and written after
/// it.
class viewer_files {
public:
    /// Opens the files of the command line. Throws `usage_error`.
    void open(const options& asked);

    /// Replays each cell again and writes all files. Throws `run_error`.
    void write(const std::vector<comparison>& all, const selection& who);

private:
    struct open_file {
        destination to;
        std::unique_ptr<viewer_file> file;
    };
    std::vector<std::unique_ptr<open_file>> files_;
};

}  // namespace hbm::compare
