#pragma once
/// Files for viewers: --perfetto, --series.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compare/command_line/destination.hpp"
#include "compare/command_line/options.hpp"
#include "compare/export/recorded_cell.hpp"
#include "compare/grid/result.hpp"

namespace hbm::compare {

/// A file that another program shows, written piece by piece.
class viewer_file {
public:
    viewer_file() = default;
    viewer_file(const viewer_file&) = delete;
    viewer_file& operator=(const viewer_file&) = delete;
    virtual ~viewer_file() = default;

    /// Opens the file, before the comparison. Throws `usage_error`.
    void open(const std::string& path) { to_.open(path); }
    /// Adds a cell; cells come in the order of the comparison.
    virtual void add(const recorded_cell& each) = 0;
    /// Ends the file and puts it in its place. Throws `run_error`.
    void finish();

protected:
    void write(std::string_view text);
    /// Writes the end.
    virtual void end() = 0;

private:
    void flush();

    destination to_;
    std::string held_;
};

/// Files of a command line.
class viewer_files {
public:
    /// Opens the files of the command line. Throws `usage_error`.
    void open(const options& asked);

    /// Replays each cell again and writes all files. Throws `run_error`.
    void write(const result& of);

private:
    std::vector<std::unique_ptr<viewer_file>> files_;
};

[[nodiscard]] std::unique_ptr<viewer_file> make_perfetto_file();
[[nodiscard]] std::unique_ptr<viewer_file> make_series_file();

}  // namespace hbm::compare
