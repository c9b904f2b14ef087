#include "compare/read/samples/printed_samples.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "compare/read/samples/samples_cells.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

constexpr std::size_t limit_key = 2;

/// Returns the text behind `words`, without blanks at its start; empty if they are not in the line.
std::optional<std::string_view> behind(std::string_view line, std::string_view words) {
    const std::size_t at = line.find(words);
    if (at == std::string_view::npos) return std::nullopt;
    line.remove_prefix(at + words.size());
    while (line.starts_with(' ')) line.remove_prefix(1);
    return line;
}

/// Removes a number and its unit from the start of `text`, and returns it in bytes. Without a unit it is in GiB.
std::optional<std::uint64_t> take_size(std::string_view& text) {
    const std::size_t digits = text.find_first_not_of("0123456789.");
    const std::string_view number = text.substr(0, digits);
    if (number.empty()) return std::nullopt;
    text.remove_prefix(number.size());
    std::string size(number);
    const std::string_view unit = text.starts_with(' ') ? text.substr(1) : text;
    if (unit.size() > 1 && std::string_view{"KMGT"}.find(unit[0]) != std::string_view::npos &&
        unit.substr(1).starts_with("iB")) {
        size += unit[0];
        text = unit.substr(3);
    } else {
        size += 'G';
    }
    const std::optional<rounded_size> read = read_rounded_size(size);
    return read ? std::optional(read->bytes) : std::nullopt;
}

/// Reads `1.59 / 30.75` with or without units; `separator` stands between the two.
std::optional<sample> take_pair(std::string_view& text, std::string_view separator) {
    sample entry;
    entry.values[0] = take_size(text);
    if (!entry.values[0] || !text.starts_with(separator)) return std::nullopt;
    text.remove_prefix(separator.size());
    entry.values[limit_key] = take_size(text);
    if (!entry.values[limit_key]) return std::nullopt;
    return entry;
}

/// Returns the text of the cell before a table's cell that begins at `at`: cells end with a vertical bar.
std::string_view cell_before(std::string_view line, std::size_t at) {
    for (const std::string_view bar : {"\xe2\x94\x82", "\xe2\x94\x83", "|"}) {
        const std::size_t end = line.rfind(bar, at);
        if (end == std::string_view::npos || end == 0) continue;
        const std::size_t begin = line.rfind(bar, end - 1);
        return trimmed(begin == std::string_view::npos ? line.substr(0, end)
                                                       : line.substr(begin + bar.size(), end - begin - bar.size()));
    }
    return {};
}

std::vector<sample> in_table(std::string_view line) {
    const std::size_t slash = line.find("iB / ");
    if (slash == std::string_view::npos || slash < 2) return {};
    std::size_t begin = slash - 1;
    while (begin > 0 && std::string_view{"0123456789. "}.find(line[begin - 1]) != std::string_view::npos) --begin;
    while (begin < slash && line[begin] == ' ') ++begin;
    std::string_view rest = line.substr(begin);
    std::optional<sample> entry = take_pair(rest, " / ");
    const std::string_view device = cell_before(line, begin);
    if (!entry || device.empty() || device.find_first_not_of("0123456789") != std::string_view::npos) return {};
    entry->device = device;
    return {*entry};
}

std::vector<sample> in_list(std::string_view rest) {
    std::vector<sample> entries;
    while (rest.starts_with('(')) {
        rest.remove_prefix(1);
        std::optional<sample> entry = take_pair(rest, ", ");
        if (!entry || !rest.starts_with(')')) return {};
        entry->device = trace::decimal(entries.size());
        entries.push_back(std::move(*entry));
        rest.remove_prefix(1);
        if (rest.starts_with(", ")) rest.remove_prefix(2);
    }
    return entries;
}

}  // namespace

std::vector<sample> printed_samples_in(std::string_view line) {
    if (const auto list = behind(line, "hbm=[")) return in_list(*list);
    if (auto pair = behind(line, "Using (GB)")) {
        std::optional<sample> entry = take_pair(*pair, " / ");
        if (!entry) return {};
        if (const auto device = behind(*pair, ") on "))
            entry->device = device->substr(0, device->find_first_of("( \r"));
        return {*entry};
    }
    if (auto size = behind(line, "In Use:"); size && line.find("Peak In Use:") == std::string_view::npos) {
        sample entry;
        entry.values[0] = take_size(*size);
        if (!entry.values[0] || !trimmed(*size).empty()) return {};
        return {entry};
    }
    return in_table(line);
}

}  // namespace hbm::imported
