#include "compare/read/samples/samples.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

constexpr std::size_t nowhere = std::string_view::npos;

enum column : std::size_t { in_use, peak, limit, reserved, step, time, microseconds, device, columns };

struct column_name {
    std::string_view name;
    column which;
};

constexpr column_name names[] = {{"bytes_in_use", in_use},
                                 {"bytes_used", in_use},
                                 {"tpu.runtime.hbm.memory.usage.bytes", in_use},
                                 {"bytes_limit", limit},
                                 {"tpu.runtime.hbm.memory.total.bytes", limit},
                                 {"peak_bytes_in_use", peak},
                                 {"bytes_reserved", reserved},
                                 {"step", step},
                                 {"time", time},
                                 {"t", microseconds},
                                 {"device", device}};

using values = std::array<std::optional<std::uint64_t>, 4>;  // by column: in_use, peak, limit, reserved

std::string lower(std::string_view text) {
    std::string result{text};
    for (char& letter : result)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return result;
}

/// Reads a decimal number that may have a fraction, times `scale`, rounded down. Returns false if it is not a number,
/// or too large.
bool read_decimal(std::string_view text, std::uint64_t scale, std::uint64_t& value) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
    std::uint64_t whole = 0;
    if (!trace::parse_number(text.substr(0, point), whole)) return false;
    if (fraction.find_first_not_of("0123456789") != nowhere || whole > ~std::uint64_t{0} / scale) return false;
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

/// Removes a number of exactly `digits` digits, and the sign that must follow it, from the beginning of a text.
bool take_number(std::string_view& text, std::size_t digits, std::string_view after, std::uint64_t& value) {
    if (text.size() < digits + (after.empty() ? 0U : 1U) || !trace::parse_number(text.substr(0, digits), value))
        return false;
    text.remove_prefix(digits);
    if (after.empty()) return true;
    if (after.find(text.front()) == nowhere) return false;
    text.remove_prefix(1);
    return true;
}

/// `Z`, `+02:00`, `-0330`, or nothing: the seconds that the clock is ahead of UTC, plus a day.
bool read_zone(std::string_view text, std::uint64_t& seconds_and_day) {
    seconds_and_day = 86'400;
    if (text.empty() || text == "Z" || text == "z") return true;
    const bool is_ahead = text.front() == '+';
    if (!is_ahead && text.front() != '-') return false;
    text.remove_prefix(1);
    std::uint64_t hours = 0;
    std::uint64_t minutes = 0;
    if (!take_number(text, 2, {}, hours)) return false;
    if (text.starts_with(':')) text.remove_prefix(1);
    if (!text.empty() && !take_number(text, 2, {}, minutes)) return false;
    if (!text.empty() || hours > 23 || minutes > 59) return false;
    const std::uint64_t shift = 3600 * hours + 60 * minutes;
    seconds_and_day = is_ahead ? seconds_and_day + shift : seconds_and_day - shift;
    return true;
}

/// Reads a date with a time of day in the form of ISO 8601, `2026-11-23T18:54:10.25+01:00`, as microseconds since the
/// beginning of 1970. A blank may replace the T. Without a zone UTC is assumed. Seconds may be left out. Returns false
/// for anything else, also for invalid days and years before 1971.
bool read_date_and_time(std::string_view text, std::uint64_t& microseconds_since) {
    constexpr std::uint64_t day_of_month[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
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
        const std::size_t end = std::min(text.find_first_not_of("0123456789.", 1), text.size());
        if (!read_decimal(text.substr(1, end - 1), 1'000'000, seconds)) return false;
        text = text.substr(end);
    }
    std::uint64_t ahead = 0;
    if (!read_zone(text, ahead)) return false;
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (year < 1971 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || seconds >= 61'000'000)
        return false;
    if (day > day_of_month[month] - day_of_month[month - 1] + (month == 2 && is_leap ? 1U : 0U)) return false;
    // Years of 365 days, and the leap days of earlier years; from March on also that of the year itself.
    const std::uint64_t past = month > 2 ? year : year - 1;
    const std::uint64_t leap_days = past / 4 - past / 100 + past / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400);
    const std::uint64_t days = (year - 1970) * 365 + leap_days + day_of_month[month - 1] + day - 1;
    microseconds_since = ((days + 1) * 86'400 + hour * 3600 + minute * 60 - ahead) * 1'000'000 + seconds;
    return true;
}

/// Series of samples, as they are found.
class collector {
public:
    sample_series& series(std::string_view name, growth_unit unit) {
        // Samples of a device often follow each other.
        if (last_ < all_.size() && all_[last_].device == name) return all_[last_];
        const auto [found, is_new] = number_of_.emplace(name, all_.size());
        last_ = found->second;
        if (is_new) all_.push_back({.device = std::string(name), .unit = unit});
        return all_[last_];
    }

    static void add(sample_series& target, std::uint64_t position, const values& cells, std::size_t line) {
        if (!target.samples.empty()) {
            const std::uint64_t before = target.samples.back().position;
            if (target.back_line == 0 && position < before) target.back_line = line;
            if (target.again_line == 0 && position == before) target.again_line = line;
        }
        if (cells[limit] && position >= target.limit_at) {
            target.limit = *cells[limit] - std::min(*cells[limit], cells[reserved].value_or(0));
            target.limit_at = position;
        }
        target.samples.push_back({position, *cells[in_use], cells[peak].value_or(*cells[in_use])});
    }

    /// Returns all series, sorted, with the peaks in between.
    std::vector<sample_series> finish() {
        for (sample_series& subject : all_) {
            std::vector<memory_sample>& samples = subject.samples;
            std::stable_sort(samples.begin(), samples.end(),
                             [](const memory_sample& a, const memory_sample& b) { return a.position < b.position; });
            std::size_t count = 0;
            for (const memory_sample& each : samples) {
                if (count != 0 && samples[count - 1].position == each.position) --count;
                samples[count++] = each;
            }
            subject.replaced = samples.size() - count;
            samples.resize(count);
            std::uint64_t highest = 0;
            for (memory_sample& entry : samples) {
                const std::uint64_t seen = entry.most;
                entry.most = highest != 0 && seen > highest ? std::max(seen, entry.in_use) : entry.in_use;
                highest = std::max(highest, seen);
            }
        }
        return std::move(all_);
    }

private:
    std::vector<sample_series> all_;
    std::size_t last_ = 0;                          // number of the last device
    std::map<std::string, std::size_t> number_of_;  // number of each device
};

/// Reader of the rows of a table; used once.
class table_reader {
public:
    table_reader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

    samples_result read() {
        const std::optional<std::string_view> first = next_line(text_, line_);
        if (!first)
            fail(0, "nothing", "a header row with the column bytes_in_use");
        else if (read_header(*first))
            while (const std::optional<std::string_view> next = next_line(text_, line_))
                if (!read_row(*next)) break;
        if (!result_.error) result_.devices = found_.finish();
        return std::move(result_);
    }

private:
    bool fail(std::size_t at, std::string content, std::string expected) {
        result_.error = trace::read_error{name_, line_, at + 1, std::move(content), std::move(expected)};
        return false;
    }
    bool wrong(std::string_view row, std::string_view cell, std::string expected) {
        const std::string_view text = trimmed(cell);
        return fail(static_cast<std::size_t>(cell.data() - row.data()), text.empty() ? "nothing" : trace::quoted(text),
                    std::move(expected));
    }

    bool read_header(std::string_view row) {
        place_.fill(nowhere);
        separator_ = separator_of(row);
        split_cells(row, separator_, cells_);
        count_ = cells_.size();
        for (std::size_t at = 0; at < cells_.size(); ++at) {
            const std::string name = lower(trimmed(cells_[at]));
            const auto* const known =
                std::find_if(std::begin(names), std::end(names), [&](const auto& each) { return each.name == name; });
            if (known == std::end(names)) continue;
            if (has(known->which))
                return wrong(row, cells_[at],
                             "each column once: the same is in column " + trace::decimal(place_[known->which] + 1) +
                                 " already");
            place_[known->which] = at;
        }
        if (has(in_use)) return true;
        return fail(0, trace::quoted(trimmed(row)),
                    "a header row with the column bytes_in_use (of memory_stats()) or "
                    "tpu.runtime.hbm.memory.usage.bytes (of tpu-info)");
    }

    bool read_row(std::string_view row) {
        split_cells(row, separator_, cells_);
        if (cells_.size() > count_)
            return wrong(row, cells_[count_], "at most " + trace::decimal(count_) + " cells, as in the header row");
        const growth_unit unit = has(step)                        ? growth_unit::numbers
                                 : has(time) || has(microseconds) ? growth_unit::times
                                                                  : growth_unit::steps;
        sample_series& target = found_.series(has(device) ? trimmed(cell(row, device)) : std::string_view{}, unit);
        std::uint64_t position = target.samples.size() + target.left_out + 1;
        if (!read_position(row, position)) return false;
        values read;
        constexpr const char* expected[] = {"bytes in use as a number below 2^64", "bytes as a number",
                                            "bytes as a number", "bytes as a number"};
        for (const column which : {in_use, peak, limit, reserved}) {
            if (!has(which) || is_missing(trimmed(cell(row, which)))) continue;
            std::uint64_t value = 0;
            if (!number(row, which, 1, expected[which], value)) return false;
            read[which] = value;
        }
        if (read[in_use])
            collector::add(target, position, read, line_);
        else
            ++target.left_out;
        return true;
    }

    bool read_position(std::string_view row, std::uint64_t& position) {
        constexpr std::uint64_t latest_second = 100'000'000'000;
        if (has(step)) return number(row, step, 1, "a step as a number", position);
        if (!has(time)) return !has(microseconds) || number(row, microseconds, 1, "microseconds as a number", position);
        if (!read_date_and_time(trimmed(cell(row, time)), position) &&
            !number(row, time, 1'000'000, "seconds as a number, or a date as 2026-11-23T18:54:10", position))
            return false;
        if (position / 1'000'000 < latest_second) return true;
        return wrong(row, cell(row, time),
                     "seconds; this many are 3,000 years: divide milliseconds by 1,000, or name the column t and write "
                     "microseconds");
    }

    [[nodiscard]] bool has(column which) const { return place_[which] != nowhere; }
    [[nodiscard]] std::string_view cell(std::string_view row, column which) const {
        return place_[which] < cells_.size() ? cells_[place_[which]] : row.substr(row.size());
    }
    bool number(std::string_view row, column which, std::uint64_t scale, const char* expected, std::uint64_t& target) {
        const std::string_view text = trimmed(cell(row, which));
        if (read_decimal(text, scale, target)) return true;
        const bool has_unit = scale == 1 && which != step && !text.empty() && is_digit(text.front()) &&
                              lower(text).find_first_of("kmgtb") != nowhere;
        return wrong(row, cell(row, which),
                     has_unit ? std::string(expected) + " without a unit: write bytes" : expected);
    }

    std::string_view text_;
    std::string name_;
    std::size_t line_ = 0;
    char separator_ = ',';
    std::array<std::size_t, columns> place_{};  // of each column
    std::size_t count_ = 0;                     // of columns
    std::vector<std::string_view> cells_;
    collector found_;
    samples_result result_;
};

/// Returns the number at the beginning of `text`, after the signs in `between`; empty if there is none.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view between) {
    text = text.substr(std::min(text.find_first_not_of(between), text.size()));
    std::uint64_t number = 0;
    if (!trace::parse_number(text.substr(0, text.find_first_not_of("0123456789")), number)) return std::nullopt;
    return number;
}

/// A number with a quoted key, of a dictionary of Python or of JSON.
struct entry {
    std::size_t at = 0;
    column which = in_use;
    std::uint64_t value = 0;
};

/// Returns the entries of a line that samples have, in its order.
std::vector<entry> entries_of(std::string_view line) {
    std::vector<entry> found;
    for (const column_name& each : names) {
        if (each.which > reserved) break;
        for (std::size_t at = line.find(each.name); at != nowhere; at = line.find(each.name, at + 1)) {
            const std::size_t end = at + each.name.size();
            const bool is_quoted = at > 0 && end < line.size() && line[at - 1] == line[end];
            if (!is_quoted || (line[end] != '\'' && line[end] != '"')) continue;
            if (const auto value = number_after(line.substr(end + 1), ": ")) found.push_back({at, each.which, *value});
        }
    }
    std::sort(found.begin(), found.end(), [](const entry& a, const entry& b) { return a.at < b.at; });
    return found;
}

/// Returns the key of an item `'TPU_0': ` of a dictionary, without quotation marks; empty if it is none.
std::string key_of(std::string_view item) {
    item = trimmed(item);
    if (!item.ends_with(':')) return {};
    std::string name(item.substr(0, item.size() - 1));
    std::erase_if(name, [](char letter) { return letter == '"' || letter == '\''; });
    return std::string(trimmed(name));
}

/// Returns the samples of a line by its brackets: the innermost braces around bytes in use are a device. Its name is
/// its key in the dictionary around it, or else its place in the list, from 0.
std::vector<log_sample> devices_of(std::string_view line, const std::vector<entry>& entries) {
    struct bracket {
        char closing;
        std::size_t begin;       // of the bracket
        std::size_t item_begin;  // of the present item
        std::size_t items;       // before the present one
        bool holds;              // bytes in use stand directly in it
        values cells;
    };
    std::vector<bracket> open;
    std::vector<log_sample> found;
    std::map<std::string, std::size_t> uses;
    const auto close = [&] {
        const bracket closed = open.back();
        open.pop_back();
        if (!closed.holds) return;
        std::string name;
        if (!open.empty() && open.back().closing == '}')
            name = key_of(line.substr(open.back().item_begin, closed.begin - open.back().item_begin));
        if (name.empty()) name = trace::decimal(open.empty() ? found.size() : open.back().items);
        const std::size_t use = ++uses[name];
        if (use > 1) name += " (" + trace::decimal(use) + ")";
        found.push_back(
            {0, 0, {}, name, closed.cells[in_use], closed.cells[peak], closed.cells[limit], closed.cells[reserved]});
    };
    std::size_t next = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char sign = line[at];
        if (next < entries.size() && entries[next].at == at) {
            if (!open.empty()) {
                open.back().cells[entries[next].which] = entries[next].value;
                open.back().holds = open.back().holds || entries[next].which == in_use;
            }
            ++next;
        }
        if (sign == '{' || sign == '[' || sign == '(')
            open.push_back({sign == '{' ? '}' : sign == '[' ? ']' : ')', at, at + 1, 0, false, {}});
        else if (sign == ',' && !open.empty())
            ++open.back().items, open.back().item_begin = at + 1;
        else if (!open.empty() && sign == open.back().closing)
            close();
    }
    while (!open.empty()) close();
    return found;
}

/// Returns the samples of a line with dictionaries. If devices cannot be told apart, the first of each value counts.
std::vector<log_sample> in_dictionaries(std::string_view line) {
    const std::vector<entry> entries = entries_of(line);
    values first;
    std::size_t count = 0;
    for (const entry& each : entries) {
        if (each.which == in_use) ++count;
        if (!first[each.which]) first[each.which] = each.value;
    }
    if (count == 0) return {};
    if (count > 1)
        if (std::vector<log_sample> devices = devices_of(line, entries); devices.size() > 1) return devices;
    return {{0, 0, {}, {}, first[in_use], first[peak], first[limit], first[reserved]}};
}

/// Removes a number and its unit from the start of `text`, and returns it in bytes. Without a unit it is in GiB.
std::optional<std::uint64_t> take_size(std::string_view& text) {
    const std::string_view number = text.substr(0, text.find_first_not_of("0123456789."));
    if (number.empty()) return std::nullopt;
    text.remove_prefix(number.size());
    std::string size(number);
    const std::string_view unit = text.substr(text.starts_with(' ') ? 1 : 0);
    const bool has_unit =
        unit.size() > 2 && std::string_view("KMGT").find(unit[0]) != nowhere && unit.substr(1).starts_with("iB");
    size += has_unit ? unit[0] : 'G';
    if (has_unit) text = unit.substr(3);
    return bytes_of(read_rounded_size(size));
}

/// Reads `1.59 / 30.75` with or without units; `separator` stands between the two.
std::optional<log_sample> take_pair(std::string_view& text, std::string_view separator) {
    log_sample pair;
    pair.is_table = true;
    pair.in_use = take_size(text);
    if (!pair.in_use || !text.starts_with(separator)) return std::nullopt;
    text.remove_prefix(separator.size());
    pair.limit = take_size(text);
    return pair.limit ? std::optional(pair) : std::nullopt;
}

/// Returns the text behind `words`, without blanks at its start; empty if they are not in the line.
std::optional<std::string_view> behind(std::string_view line, std::string_view words) {
    const std::size_t at = line.find(words);
    if (at == nowhere) return std::nullopt;
    line.remove_prefix(at + words.size());
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return line;
}

/// Returns the text of the cell before a table's cell that begins at `at`: cells end with a vertical bar.
std::string_view cell_before(std::string_view line, std::size_t at) {
    for (const std::string_view bar : {"\xe2\x94\x82", "\xe2\x94\x83", "|"}) {
        const std::size_t end = line.rfind(bar, at);
        if (end == nowhere || end == 0) continue;
        const std::size_t begin = line.rfind(bar, end - 1);
        return trimmed(begin == nowhere ? line.substr(0, end)
                                        : line.substr(begin + bar.size(), end - begin - bar.size()));
    }
    return {};
}

/// Returns the samples of a line in the form of a program other than JAX; see the table above.
std::vector<log_sample> in_print(std::string_view line) {
    if (auto list = behind(line, "hbm=[")) {
        std::vector<log_sample> all;
        while (list->starts_with('(')) {
            list->remove_prefix(1);
            std::optional<log_sample> pair = take_pair(*list, ", ");
            if (!pair || !list->starts_with(')')) return {};
            pair->device = trace::decimal(all.size());
            all.push_back(*pair);
            list->remove_prefix(list->starts_with("), ") ? 3 : 1);
        }
        return all;
    }
    if (auto pair_text = behind(line, "Using (GB)")) {
        std::optional<log_sample> pair = take_pair(*pair_text, " / ");
        if (!pair) return {};
        if (const auto name = behind(*pair_text, ") on ")) pair->device = name->substr(0, name->find_first_of("( \r"));
        return {*pair};
    }
    if (auto size = behind(line, "In Use:"); size && line.find("Peak In Use:") == nowhere) {
        log_sample only;
        only.is_table = true;
        only.in_use = take_size(*size);
        if (!only.in_use || !trimmed(*size).empty()) return {};
        return {only};
    }
    const std::size_t slash = line.find("iB / ");
    if (slash == nowhere || slash < 2) return {};
    std::size_t begin = line.find_last_not_of("0123456789. ", slash - 2);
    begin = line.find_first_not_of(' ', begin == nowhere ? 0 : begin + 1);
    std::string_view rest = line.substr(begin);
    std::optional<log_sample> pair = take_pair(rest, " / ");
    const std::string_view name = cell_before(line, begin);
    if (!pair || name.empty() || name.find_first_not_of("0123456789") != nowhere) return {};
    pair->device = name;
    return {*pair};
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view around = " \t\r\"";
    const std::size_t begin = text.find_first_not_of(around);
    return begin == nowhere ? text.substr(text.size()) : text.substr(begin, text.find_last_not_of(around) + 1 - begin);
}

char separator_of(std::string_view header) noexcept {
    for (const char letter : {',', ';', '\t'})
        if (header.find(letter) != nowhere) return letter;
    return ',';
}

void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells) {
    cells.clear();
    for (std::size_t from = 0; from <= line.size();) {
        std::size_t end = from;
        for (bool quoted = false; end < line.size() && (quoted || line[end] != separator); ++end)
            quoted ^= line[end] == '"';
        cells.push_back(line.substr(from, end - from));
        from = end + 1;
    }
}

std::optional<std::string_view> next_line(std::string_view& text, std::size_t& line) {
    if (line == 0 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view content = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (!trimmed(content).empty() && content.front() != '#') return content;
    }
    return std::nullopt;
}

std::size_t first_row(std::string_view text) {
    std::size_t line = 0;
    (void)next_line(text, line);
    return line;
}

samples_result read_samples(std::string_view text, std::string name) {
    return table_reader(text, std::move(name)).read();
}

bool looks_like_samples(std::string_view text) {
    std::size_t line = 0;
    const std::optional<std::string_view> first = next_line(text, line);
    std::vector<std::string_view> cells;
    if (first) split_cells(*first, separator_of(*first), cells);
    for (const std::string_view cell : cells)
        for (const column_name& known : names)
            if (known.which == in_use && known.name == lower(trimmed(cell))) return true;
    return false;
}

std::optional<std::uint64_t> step_in(std::string_view line) {
    const std::size_t at = line.find("tep");
    if (at == 0 || at == nowhere || (line[at - 1] != 's' && line[at - 1] != 'S')) return std::nullopt;
    return number_after(line.substr(at + 3), "'\":= ");
}

std::vector<log_sample> log_samples(const plain_text& log) {
    std::vector<log_sample> all;
    for (std::size_t at = 0; at < log.lines.size(); ++at) {
        const std::size_t begin = log.lines[at].begin;
        const std::size_t end = at + 1 < log.lines.size() ? log.lines[at + 1].begin : log.text.size();
        const std::string_view line = std::string_view(log.text).substr(begin, end - begin);
        std::vector<log_sample> found = in_dictionaries(line);
        if (found.empty()) found = in_print(line.substr(0, line.find_last_not_of('\n') + 1));
        const std::optional<std::uint64_t> number = found.empty() ? std::nullopt : step_in(line);
        for (log_sample& each : found) {
            each.line = log.lines[at].number;
            each.row = at;
            each.step = number;
            all.push_back(std::move(each));
        }
    }
    return all;
}

std::vector<sample_series> series_of(const std::vector<log_sample>& samples) {
    const bool has_steps = std::all_of(samples.begin(), samples.end(), [](const auto& each) { return each.step; });
    collector found;
    for (const log_sample& each : samples) {
        sample_series& target = found.series(each.device, has_steps ? growth_unit::numbers : growth_unit::steps);
        const std::uint64_t position = has_steps ? *each.step : target.samples.size() + 1;
        collector::add(target, position, {each.in_use, each.peak, each.limit, each.reserved}, each.line);
    }
    return found.finish();
}

std::vector<sample_series> series_of_log(std::string_view text) {
    const std::vector<log_sample> samples = log_samples(plain_text_of(text));
    bool is_table = false;
    std::size_t lines = 0;
    for (const log_sample& each : samples) {
        is_table = is_table || each.is_table;
        if (&each == samples.data() || each.row != (&each - 1)->row) ++lines;
    }
    return is_table || lines >= fewest_log_samples ? series_of(samples) : std::vector<sample_series>{};
}

}  // namespace hbm::imported
