#include "compare/read/samples/samples_log.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "compare/read/samples/samples_log_line.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

std::string samples_in_log(std::string_view text) {
    std::vector<sample> found;
    std::size_t lines = 0;
    bool has_steps = true;
    bool has_devices = false;
    for (std::size_t at = text.find(keys[0]); at != std::string_view::npos; at = text.find(keys[0], at)) {
        const std::size_t before = text.rfind('\n', at);
        const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
        at = std::min(text.find('\n', at), text.size());
        std::vector<sample> some = samples_in(text.substr(begin, at - begin));
        if (some.empty()) continue;
        ++lines;
        has_steps = has_steps && some.front().step.has_value();
        has_devices = has_devices || some.size() > 1;
        for (sample& each : some) found.push_back(std::move(each));
    }
    if (lines < fewest_log_samples) return {};
    std::string csv = has_steps ? "step," : "";
    if (has_devices) csv += "device,";
    for (const std::string_view key : keys) (csv += key == keys[0] ? "" : ",") += key;
    for (const sample& each : found) {
        csv += '\n';
        if (has_steps) csv += trace::decimal(*each.step) + ",";
        if (has_devices) csv += '"' + each.device + "\",";
        for (std::size_t which = 0; which < keys.size(); ++which) {
            if (which != 0) csv += ',';
            if (each.values[which]) csv += trace::decimal(*each.values[which]);
        }
    }
    return csv += '\n';
}

}  // namespace hbm::imported
