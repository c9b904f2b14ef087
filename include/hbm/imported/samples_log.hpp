#pragma once

/// Finds in a log what a program printed of `device.memory_stats()`, line by line, between whatever else it printed.

#include <hbm/trace/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

/// Fewer lines with samples are a message about memory rather than a series.
inline constexpr std::size_t fewest_log_samples = 8;

namespace samples_log_detail {

/// The keys that are taken over, which are columns of samples as well.
inline constexpr std::array<std::string_view, 4> keys{"bytes_in_use", "peak_bytes_in_use", "bytes_limit",
                                                      "bytes_reserved"};

/// A line with a sample.
struct sample {
    std::optional<std::uint64_t> step = {};
    std::array<std::optional<std::uint64_t>, keys.size()> values = {};
};

/// The number at the beginning of `text`, after blanks and the signs in `between`; empty if there is none.
[[nodiscard]] inline std::optional<std::uint64_t> number_after(std::string_view text, std::string_view between) {
    const std::size_t first = text.find_first_not_of(between);
    if (first == std::string_view::npos) return std::nullopt;
    text.remove_prefix(first);
    std::uint64_t number = 0;
    if (!trace::parse_number(text.substr(0, text.find_first_not_of("0123456789")), number)) return std::nullopt;
    return number;
}

/// The number that a key in quotes has in `line`, of Python or of JSON.
[[nodiscard]] inline std::optional<std::uint64_t> value_of(std::string_view line, std::string_view key) {
    for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
        const std::size_t end = at + key.size();
        if (at == 0 || end == line.size() || line[at - 1] != line[end]) continue;
        if (line[end] != '\'' && line[end] != '"') continue;
        return number_after(line.substr(end + 1), ": ");
    }
    return std::nullopt;
}

/// The number after the word `step`, as in `step 7`, `Step: 7`, `step=7` or `"step": 7`.
[[nodiscard]] inline std::optional<std::uint64_t> step_in(std::string_view line) {
    const std::size_t at = line.find("tep");
    if (at == 0 || at == std::string_view::npos || (line[at - 1] != 's' && line[at - 1] != 'S')) return std::nullopt;
    return number_after(line.substr(at + 3), "'\":= ");
}

/// Reads a line; empty if it has no bytes in use.
[[nodiscard]] inline std::optional<sample> sample_in(std::string_view line) {
    sample found;
    for (std::size_t which = 0; which < keys.size(); ++which) {
        found.values[which] = value_of(line, keys[which]);
        if (which == 0 && !found.values[which]) return std::nullopt;
    }
    found.step = step_in(line);
    return found;
}

}  // namespace samples_log_detail

/// The samples in a log as CSV, for `read_samples`: `step` where every line with a sample names its step, and what the
/// keys of `memory_stats()` say. Empty unless 8 lines hold samples. Of several samples in a line the first counts.
/// O(length of the text).
[[nodiscard]] inline std::string samples_in_log(std::string_view text) {
    using namespace samples_log_detail;
    std::vector<sample> found;
    bool has_steps = true;
    for (std::size_t at = text.find(keys[0]); at != std::string_view::npos; at = text.find(keys[0], at)) {
        const std::size_t before = text.rfind('\n', at);
        const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
        at = std::min(text.find('\n', at), text.size());
        const std::optional<sample> next = sample_in(text.substr(begin, at - begin));
        if (!next) continue;
        has_steps = has_steps && next->step.has_value();
        found.push_back(*next);
    }
    if (found.size() < fewest_log_samples) return {};
    std::string csv = has_steps ? "step" : "";
    for (const std::string_view key : keys) (csv += csv.empty() ? "" : ",") += key;
    for (const sample& each : found) {
        csv += '\n';
        if (has_steps) csv += trace::decimal(*each.step) + ",";
        for (std::size_t which = 0; which < keys.size(); ++which) {
            if (which != 0) csv += ',';
            if (each.values[which]) csv += trace::decimal(*each.values[which]);
        }
    }
    return csv += '\n';
}

}  // namespace hbm::imported
