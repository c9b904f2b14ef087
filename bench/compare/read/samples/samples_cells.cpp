#include "compare/read/samples/samples_cells.hpp"

#include <algorithm>
#include <cstddef>

#include "compare/text/text.hpp"

namespace hbm::imported {

std::string_view trimmed(std::string_view text) noexcept {
    const auto outer = [](char letter) { return letter == ' ' || letter == '\t' || letter == '\r' || letter == '"'; };
    while (!text.empty() && outer(text.front())) text.remove_prefix(1);
    while (!text.empty() && outer(text.back())) text.remove_suffix(1);
    return text;
}

std::string lower(std::string_view text) {
    std::string result{text};
    for (char& letter : result)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return result;
}

char separator_of(std::string_view header) noexcept {
    for (const char letter : {',', ';', '\t'})
        if (header.find(letter) != std::string_view::npos) return letter;
    return ',';
}

void split(std::string_view line, char separator, std::vector<std::string_view>& cells) {
    cells.clear();
    for (std::size_t from = 0; from <= line.size();) {
        std::size_t end = from;
        for (bool quoted = false; end < line.size() && (quoted || line[end] != separator); ++end)
            quoted ^= line[end] == '"';
        cells.push_back(line.substr(from, end - from));
        from = end + 1;
    }
}

bool read_decimal(std::string_view text, std::uint64_t scale, std::uint64_t& value) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
    std::uint64_t whole = 0;
    if (!trace::parse_number(text.substr(0, point), whole)) return false;
    for (const char letter : fraction)
        if (letter < '0' || letter > '9') return false;
    if (whole > ~std::uint64_t{0} / scale) return false;
    value = whole * scale;
    std::uint64_t unit = scale;
    for (const char letter : fraction) {
        unit /= 10;
        const std::uint64_t more = unit * static_cast<std::uint64_t>(letter - '0');
        if (more > ~value) return false;
        value += more;
    }
    return true;
}

bool is_missing(std::string_view text) {
    const std::string word = lower(text);
    return word.empty() || word == "nan" || word == "none" || word == "null";
}

std::optional<std::string_view> next_line(std::string_view& text, std::size_t& line) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view content = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (!trimmed(content).empty() && content.front() != '#') return content;
    }
    return std::nullopt;
}

std::string_view unmarked(std::string_view text) noexcept {
    return text.substr(0, 3) == "\xEF\xBB\xBF" ? text.substr(3) : text;
}

std::size_t first_row(std::string_view text) {
    text = unmarked(text);
    std::size_t line = 0;
    (void)next_line(text, line);
    return line;
}

bool looks_like_samples(std::string_view text) {
    text = unmarked(text);
    std::size_t line = 0;
    const std::optional<std::string_view> first = next_line(text, line);
    if (!first) return false;
    std::vector<std::string_view> cells;
    split(*first, separator_of(*first), cells);
    for (const std::string_view entry : cells)
        for (const column_name& known : names)
            if (known.which == in_use && known.name == lower(trimmed(entry))) return true;
    return false;
}

namespace {

/// Removes a number of exactly `digits` digits, and the sign that must follow it, from the beginning of a text.
bool take_number(std::string_view& text, std::size_t digits, std::string_view after, std::uint64_t& value) {
    if (text.size() < digits + (after.empty() ? 0U : 1U) || !trace::parse_number(text.substr(0, digits), value))
        return false;
    text.remove_prefix(digits);
    if (after.empty()) return true;
    if (after.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

/// Returns the days from 1970-01-01 to a day of the Gregorian calendar, of a year from 1970 on. They are years of 365
/// days, and the leap days of earlier years; from March on also that of the year itself.
constexpr std::uint64_t days_since_1970(std::uint64_t year, std::uint64_t month, std::uint64_t day) noexcept {
    constexpr std::uint64_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    const auto leap_days = [](std::uint64_t years) { return years / 4 - years / 100 + years / 400; };
    const std::uint64_t leaps = leap_days(month > 2 ? year : year - 1) - leap_days(1969);
    return (year - 1970) * 365 + leaps + before[month - 1] + day - 1;
}

/// `Z`, `+02:00`, `-0330`, or nothing: the seconds that the clock is ahead of UTC, plus a day.
bool read_zone(std::string_view text, std::uint64_t& seconds_and_day) {
    constexpr std::uint64_t day = 86'400;
    seconds_and_day = day;
    if (text.empty() || text == "Z" || text == "z") return true;
    if (text.front() != '+' && text.front() != '-') return false;
    const bool is_ahead = text.front() == '+';
    text.remove_prefix(1);
    std::uint64_t hours = 0;
    std::uint64_t minutes = 0;
    if (!take_number(text, 2, {}, hours)) return false;
    if (text.starts_with(':')) text.remove_prefix(1);
    if (!text.empty() && !take_number(text, 2, {}, minutes)) return false;
    if (!text.empty() || hours > 23 || minutes > 59) return false;
    const std::uint64_t shift = 3600 * hours + 60 * minutes;
    seconds_and_day = is_ahead ? day + shift : day - shift;
    return true;
}

}  // namespace

bool read_date_and_time(std::string_view text, std::uint64_t& microseconds) {
    std::uint64_t year = 0;
    std::uint64_t month = 0;
    std::uint64_t day = 0;
    std::uint64_t hour = 0;
    std::uint64_t minute = 0;
    std::uint64_t seconds = 0;  // seconds of the minute, in microseconds
    if (!take_number(text, 4, "-", year) || !take_number(text, 2, "-", month) || !take_number(text, 2, "Tt ", day) ||
        !take_number(text, 2, ":", hour) || !take_number(text, 2, {}, minute))
        return false;
    if (text.starts_with(':')) {
        const std::size_t end = text.find_first_not_of("0123456789.", 1);
        if (!read_decimal(text.substr(1, end == std::string_view::npos ? end : end - 1), 1'000'000, seconds))
            return false;
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end);
    }
    std::uint64_t ahead = 0;
    if (!read_zone(text, ahead)) return false;
    constexpr std::uint64_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (year < 1971 || month < 1 || month > 12 || day < 1 ||
        day > lengths[month - 1] + (month == 2 && is_leap ? 1U : 0U) || hour > 23 || minute > 59 ||
        seconds >= 61'000'000)
        return false;
    const std::uint64_t here = (days_since_1970(year, month, day) + 1) * 86'400 + hour * 3600 + minute * 60;
    microseconds = (here - ahead) * 1'000'000 + seconds;
    return true;
}

}  // namespace hbm::imported
