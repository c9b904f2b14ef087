#pragma once
/// The rows, cells and columns of a file of samples; see `samples.hpp`.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

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

[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
[[nodiscard]] std::string lower(std::string_view text);

/// Returns the separator of the cells under this header row: a comma; without any, a semicolon, or else a tab.
[[nodiscard]] char separator_of(std::string_view header) noexcept;

/// Splits a line into cells. Between quotation marks a separator is a character like others.
void split(std::string_view line, char separator, std::vector<std::string_view>& cells);

/// Reads a decimal number that may have a fraction, times `scale`, rounded down. Returns false if it is not a number,
/// or too large.
[[nodiscard]] bool read_decimal(std::string_view text, std::uint64_t scale, std::uint64_t& value);

[[nodiscard]] bool is_missing(std::string_view text);

/// Columns of a header row, by the position of each; empty for a row without a column of bytes in use.
struct header {
    std::array<std::size_t, columns> at{};
    std::size_t count = 0;

    static constexpr std::size_t absent = ~std::size_t{0};
    [[nodiscard]] bool has(column which) const noexcept { return at[which] != absent; }
};

/// Removes the first line that is neither blank nor a comment from `text`, and returns it; `line` is its number.
[[nodiscard]] std::optional<std::string_view> next_line(std::string_view& text, std::size_t& line);

/// Returns a text without its byte order mark.
[[nodiscard]] std::string_view unmarked(std::string_view text) noexcept;

/// Returns the number of the first line of `text` that is neither blank nor a comment, from 1; the last if all are.
/// Cost: O(rows).
[[nodiscard]] std::size_t first_row(std::string_view text);

/// Returns true if the first row of `text` names a column of bytes in use: the header row of samples.
/// Cost: O(first row).
[[nodiscard]] bool looks_like_samples(std::string_view text);

/// Reads a date with a time of day in the form of ISO 8601, `2026-11-23T18:54:10.25+01:00`, as microseconds since the
/// beginning of 1970. A blank may replace the T. Without a zone UTC is assumed, which does not affect distances between
/// samples. Seconds may be left out. Returns false for anything else, also for invalid days and years before 1971.
/// Cost: O(length).
[[nodiscard]] bool read_date_and_time(std::string_view text, std::uint64_t& microseconds);

}  // namespace hbm::imported
