#pragma once

/// A file that another program shows, written piece by piece.

#include <memory>
#include <string>
#include <string_view>

#include "compare/command_line/destination.hpp"
#include "compare/export/recorded_cell.hpp"

namespace hbm::compare {

/// Buffer of text, which passes it on in large pieces.
class text_sink {
public:
    /// `to` is open and must outlive the sink.
    explicit text_sink(destination& to) : to_(&to) {}

    void add(std::string_view text) {
        held_ += text;
        if (held_.size() >= piece) flush();
    }
    void add(char byte) { add(std::string_view(&byte, 1)); }

    /// Writes the rest and puts the file in its place. Throws `run_error`.
    void finish() {
        flush();
        to_->finish();
    }

private:
    static constexpr std::size_t piece = std::size_t{1} << 20U;

    void flush() {
        to_->append(held_);
        held_.clear();
    }

    destination* to_;
    std::string held_;
};

/// The writer of a format.
class viewer_file {
public:
    explicit viewer_file(destination& to) : out_(to) {}
    viewer_file(const viewer_file&) = delete;
    viewer_file& operator=(const viewer_file&) = delete;
    virtual ~viewer_file() = default;

    /// Adds a cell; cells come in the order of the comparison.
    virtual void add(const recorded_cell& each) = 0;
    /// Ends the file. Throws `run_error`.
    virtual void finish() = 0;

protected:
    text_sink& out() noexcept { return out_; }

private:
    text_sink out_;
};

/// Makes the writer of a format. Requires: `to` is open and outlives the writer.
[[nodiscard]] std::unique_ptr<viewer_file> make_perfetto_file(destination& to);
[[nodiscard]] std::unique_ptr<viewer_file> make_series_file(destination& to);

}  // namespace hbm::compare
