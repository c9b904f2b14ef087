#include "compare/export/viewers.hpp"

namespace hbm::compare {

namespace {

struct format {
    std::string options::*path;
    std::unique_ptr<viewer_file> (*make)();
};

constexpr format formats[] = {{&options::perfetto, make_perfetto_file}, {&options::series, make_series_file}};

}  // namespace

void viewer_file::write(std::string_view text) {
    constexpr std::size_t piece = std::size_t{1} << 20U;
    held_ += text;
    if (held_.size() >= piece) flush();
}

void viewer_file::flush() {
    to_.append(held_);
    held_.clear();
}

void viewer_file::finish() {
    end();
    flush();
    to_.finish();
}

void viewer_files::open(const options& asked) {
    for (const format& each : formats) {
        const std::string& path = asked.*each.path;
        if (path.empty()) continue;
        files_.push_back(each.make());
        files_.back()->open(path);
    }
}

void viewer_files::write(const result& of) {
    if (files_.empty()) return;
    for (const comparison& each : of.workloads) {
        for (std::size_t at = 0; at < each.cells.size(); ++at) {
            const recorded_cell recorded = record_cell(each, at, of.who);
            for (const std::unique_ptr<viewer_file>& file : files_) file->add(recorded);
        }
    }
    for (const std::unique_ptr<viewer_file>& file : files_) file->finish();
}

}  // namespace hbm::compare
