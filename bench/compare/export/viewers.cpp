#include "compare/export/viewers.hpp"

#include <hbm/explain/filled_text.hpp>

#include <array>
#include <string_view>

#include "compare/export/texts.hpp"

namespace hbm::compare {

namespace {

struct format {
    std::string_view option;
    std::string options::*path;
    std::unique_ptr<viewer_file> (*make)(destination&);
};

constexpr std::array formats{
    format{"--perfetto", &options::perfetto, make_perfetto_file},
    format{"--series", &options::series, make_series_file},
};

}  // namespace

std::string viewer_files::open(const options& asked) {
    for (const format& each : formats) {
        const std::string& path = asked.*each.path;
        if (path.empty()) continue;
        files_.push_back(std::make_unique<open_file>());
        if (std::string problem = files_.back()->to.open(path); !problem.empty()) return problem;
        files_.back()->file = each.make(files_.back()->to);
    }
    return {};
}

std::string viewer_files::find_idle(const options& asked) {
    const std::string_view instead = asked.growth               ? "--growth"
                                     : !asked.message.empty()   ? "--message"
                                     : !asked.described.empty() ? "--describe"
                                                                : "";
    if (instead.empty()) return {};
    for (const format& each : formats)
        if (!(asked.*each.path).empty())
            return filled(texts::viewer_beside_mode,
                          {{"option", std::string(each.option)}, {"mode", std::string(instead)}});
    return {};
}

std::string viewer_files::write(const std::vector<comparison>& all, const selection& who) {
    if (files_.empty()) return {};
    for (const comparison& each : all) {
        for (std::size_t at = 0; at < each.cells.size(); ++at) {
            const recorded_cell recorded = record_cell(each, at, who);
            for (const std::unique_ptr<open_file>& file : files_) file->file->add(recorded);
        }
    }
    for (const std::unique_ptr<open_file>& file : files_)
        if (std::string problem = file->file->finish(); !problem.empty()) return problem;
    return {};
}

}  // namespace hbm::compare
