#include "compare/export/viewers.hpp"

#include <array>

namespace hbm::compare {

namespace {

struct format {
    std::string options::*path;
    std::unique_ptr<viewer_file> (*make)(destination&);
};

constexpr std::array formats{
    format{&options::perfetto, make_perfetto_file},
    format{&options::series, make_series_file},
};

}  // namespace

void viewer_files::open(const options& asked) {
    for (const format& each : formats) {
        const std::string& path = asked.*each.path;
        if (path.empty()) continue;
        files_.push_back(std::make_unique<open_file>());
        files_.back()->to.open(path);
        files_.back()->file = each.make(files_.back()->to);
    }
}

void viewer_files::write(const std::vector<comparison>& all, const selection& who) {
    if (files_.empty()) return;
    for (const comparison& each : all) {
        for (std::size_t at = 0; at < each.cells.size(); ++at) {
            const recorded_cell recorded = record_cell(each, at, who);
            for (const std::unique_ptr<open_file>& file : files_) file->file->add(recorded);
        }
    }
    for (const std::unique_ptr<open_file>& file : files_) file->file->finish();
}

}  // namespace hbm::compare
