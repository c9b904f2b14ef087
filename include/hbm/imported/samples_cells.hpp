#pragma once

/// The rows, cells and columns of a file of samples; see `samples.hpp`.

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

namespace samples_detail {

inline constexpr std::size_t columns = 8;
enum column : std::size_t { in_use, limit, peak, reserved, step, time, microseconds, device };

struct column_name {
    std::string_view name;
    column which;
};
inline constexpr std::array<column_name, 10> names{{{"bytes_in_use", in_use},
                                                    {"tpu.runtime.hbm.memory.usage.bytes", in_use},
                                                    {"bytes_limit", limit},
                                                    {"tpu.runtime.hbm.memory.total.bytes", limit},
                                                    {"peak_bytes_in_use", peak},
                                                    {"bytes_reserved", reserved},
                                                    {"step", step},
                                                    {"time", time},
                                                    {"t", microseconds},
                                                    {"device", device}}};

[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
    const auto outer = [](char each) { return each == ' ' || each == '\t' || each == '\r' || each == '"'; };
    while (!text.empty() && outer(text.front())) text.remove_prefix(1);
    while (!text.empty() && outer(text.back())) text.remove_suffix(1);
    return text;
}
[[nodiscard]] inline std::string lower(std::string_view text) {
    std::string made{text};
    for (char& each : made)
        if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
    return made;
}

/// What parts the cells of a file with this header row: a comma; without any, a semicolon, or else a tab.
[[nodiscard]] inline char separator_of(std::string_view header) noexcept {
    for (const char each : {',', ';', '\t'})
        if (header.find(each) != std::string_view::npos) return each;
    return ',';
}

/// The cells of a line. Between quotation marks a separator is a character like others.
inline void split(std::string_view line, char separator, std::vector<std::string_view>& cells) {
    cells.clear();
    for (std::size_t from = 0; from <= line.size();) {
        std::size_t end = from;
        for (bool quoted = false; end < line.size() && (quoted || line[end] != separator); ++end)
            quoted ^= line[end] == '"';
        cells.push_back(line.substr(from, end - from));
        from = end + 1;
    }
}

/// A decimal number that may have a fraction, times `scale`, rounded down. False if it is none, or too large.
[[nodiscard]] inline bool read_decimal(std::string_view text, std::uint64_t scale, std::uint64_t& value) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
    std::uint64_t whole = 0;
    if (!trace::parse_number(text.substr(0, point), whole)) return false;
    for (const char each : fraction)
        if (each < '0' || each > '9') return false;
    if (whole > ~std::uint64_t{0} / scale) return false;
    value = whole * scale;
    std::uint64_t unit = scale;
    for (const char each : fraction) {
        unit /= 10;
        const std::uint64_t more = unit * static_cast<std::uint64_t>(each - '0');
        if (more > ~value) return false;
        value += more;
    }
    return true;
}

[[nodiscard]] inline bool is_missing(std::string_view text) {
    const std::string word = lower(text);
    return word.empty() || word == "nan" || word == "none" || word == "null";
}

/// Which columns a header row has, by the position of each; empty for a row without a column of bytes in use.
struct header {
    std::array<std::size_t, columns> at{};
    std::size_t count = 0;

    static constexpr std::size_t absent = ~std::size_t{0};
    [[nodiscard]] bool has(column which) const noexcept { return at[which] != absent; }
};

/// The first line that is neither blank nor a comment; `line` is its number. The text begins after it.
[[nodiscard]] inline std::optional<std::string_view> next_line(std::string_view& text, std::size_t& line) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view found = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (!trimmed(found).empty() && found.front() != '#') return found;
    }
    return std::nullopt;
}

/// A text without its byte order mark.
[[nodiscard]] inline std::string_view unmarked(std::string_view text) noexcept {
    return text.substr(0, 3) == "\xEF\xBB\xBF" ? text.substr(3) : text;
}

}  // namespace samples_detail

/// The number of the first line of `text` that is neither blank nor a comment, from 1; the last if all are. O(rows).
[[nodiscard]] inline std::size_t first_row(std::string_view text) {
    text = samples_detail::unmarked(text);
    std::size_t line = 0;
    (void)samples_detail::next_line(text, line);
    return line;
}

/// Whether the first row of `text` names a column of bytes in use, and so is the header row of samples. O(first row).
[[nodiscard]] inline bool looks_like_samples(std::string_view text) {
    using namespace samples_detail;
    text = unmarked(text);
    std::size_t line = 0;
    const std::optional<std::string_view> first = next_line(text, line);
    if (!first) return false;
    std::vector<std::string_view> cells;
    split(*first, separator_of(*first), cells);
    for (const std::string_view each : cells)
        for (const column_name& known : names)
            if (known.which == in_use && known.name == lower(trimmed(each))) return true;
    return false;
}

}  // namespace hbm::imported
