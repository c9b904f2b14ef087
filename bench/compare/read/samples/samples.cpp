#include "compare/read/samples/samples.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>

#include "compare/read/read_error.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

constexpr std::size_t nowhere = std::string_view::npos;
constexpr std::string_view digits = "0123456789";

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

const column_name* column_called(std::string_view cell) {
    const std::string name = lower_case(cell);
    const auto* const known =
        std::find_if(std::begin(names), std::end(names), [&](const column_name& each) { return each.name == name; });
    return known == std::end(names) ? nullptr : known;
}

using values = std::array<std::optional<std::uint64_t>, 4>;  // by column: in_use, peak, limit, reserved

/// Reads a decimal number that may have a fraction, times `scale`, rounded down. Returns false if it is not a number,
/// or too large.
bool read_decimal(std::string_view text, std::uint64_t scale, std::uint64_t& value) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
    std::uint64_t whole = 0;
    if (!trace::parse_number(text.substr(0, point), whole)) return false;
    if (fraction.find_first_not_of(digits) != nowhere || (scale != 1 && whole >= ~std::uint64_t{0} / scale))
        return false;
    value = whole * scale;
    for (const char letter : fraction) {
        scale /= 10;
        value += scale * static_cast<std::uint64_t>(letter - '0');
    }
    return true;
}

/// Removes a number of exactly `count` digits, and one of the signs in `after`, from the beginning of a text.
bool take_number(std::string_view& text, std::size_t count, std::string_view after, unsigned& value) {
    std::uint64_t number = 0;
    if (text.size() < count || !trace::parse_number(text.substr(0, count), number)) return false;
    value = static_cast<unsigned>(number);
    text.remove_prefix(count);
    if (after.empty()) return true;
    if (text.empty() || after.find(text.front()) == nowhere) return false;
    text.remove_prefix(1);
    return true;
}

/// Reads `Z`, `+02:00`, `-0330`, or nothing: how far the clock is ahead of UTC.
bool read_zone(std::string_view text, std::chrono::minutes& ahead) {
    if (text.empty() || text == "Z" || text == "z") return true;
    const bool is_ahead = text.front() == '+';
    if (!is_ahead && text.front() != '-') return false;
    text.remove_prefix(1);
    unsigned hours = 0;
    unsigned minutes = 0;
    if (!take_number(text, 2, {}, hours)) return false;
    if (text.starts_with(':')) text.remove_prefix(1);
    if (!text.empty() && !take_number(text, 2, {}, minutes)) return false;
    ahead = std::chrono::hours(hours) + std::chrono::minutes(minutes);
    if (!is_ahead) ahead = -ahead;
    return text.empty() && hours <= 23 && minutes <= 59;
}

/// Reads a date with a time of day in the form of ISO 8601, `2026-11-23T18:54:10.25+01:00`, as microseconds since the
/// beginning of 1970. A blank may replace the T. Without a zone UTC is assumed. Seconds may be left out. Returns false
/// for anything else, also for invalid days and years before 1971.
bool read_date_and_time(std::string_view text, std::uint64_t& microseconds_since) {
    unsigned year = 0;
    unsigned month = 0;
    unsigned day = 0;
    unsigned hour = 0;
    unsigned minute = 0;
    std::uint64_t seconds = 0;  // of the minute, in microseconds
    if (!take_number(text, 4, "-", year) || !take_number(text, 2, "-", month) || !take_number(text, 2, "Tt ", day) ||
        !take_number(text, 2, ":", hour) || !take_number(text, 2, {}, minute))
        return false;
    if (text.starts_with(':')) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789.", 1), text.size());
        if (!read_decimal(text.substr(1, end - 1), 1'000'000, seconds)) return false;
        text = text.substr(end);
    }
    std::chrono::minutes ahead{0};
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                                           std::chrono::day(day)};
    if (!read_zone(text, ahead) || !date.ok() || year < 1971 || hour > 23 || minute > 59 || seconds >= 61'000'000)
        return false;
    const std::chrono::minutes since = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                                       std::chrono::minutes(minute) - ahead;
    microseconds_since = static_cast<std::uint64_t>(since.count()) * 60'000'000 + seconds;
    return true;
}

/// Series of samples, as they are found.
class collector {
public:
    sample_series& series(std::string_view name, growth_unit unit) {
        const auto [found, is_new] = number_of_.emplace(name, all_.size());
        if (is_new) all_.push_back({.device = std::string(name), .unit = unit});
        return all_[found->second];
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

    /// Returns all series, sorted, of several samples at one place the last, with the peaks in between.
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
    std::map<std::string, std::size_t, std::less<>> number_of_;  // of each device
};

char separator_of(std::string_view header) noexcept {
    for (const char letter : {',', ';', '\t'})
        if (header.find(letter) != nowhere) return letter;
    return ',';
}

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view around = " \t\r\"";
    const std::size_t begin = std::min(text.find_first_not_of(around), text.size());
    return text.substr(begin, text.find_last_not_of(around) + 1 - begin);
}

/// Reader of the rows of a table; used once.
class table_reader {
public:
    table_reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    std::vector<sample_series> read() {
        const std::optional<std::string_view> header = next_line(text_, line_);
        if (!header) fail({}, "a header row with the column bytes_in_use");
        read_header(*header);
        while (const std::optional<std::string_view> next = next_line(text_, line_)) {
            row_ = *next;
            read_row();
        }
        return found_.finish();
    }

private:
    [[noreturn]] void fail(std::string_view cell, std::string expected) const {
        const std::size_t at = cell.data() == nullptr ? 0 : static_cast<std::size_t>(cell.data() - row_.data());
        throw trace::read_error(name_, line_, at + 1, cell.empty() ? "nothing" : trace::quoted(cell),
                                std::move(expected));
    }

    void read_header(std::string_view row) {
        row_ = row;
        place_.fill(nowhere);
        separator_ = separator_of(row);
        cells_ = cells_of(row, separator_);
        count_ = cells_.size();
        for (std::size_t at = 0; at < count_; ++at) {
            const column_name* const known = column_called(cells_[at]);
            if (known == nullptr) continue;
            if (has(known->which))
                fail(cells_[at], "each column once: the same is in column " + trace::decimal(place_[known->which] + 1) +
                                     " already");
            place_[known->which] = at;
        }
        if (!has(in_use))
            fail(trimmed(row), "a header row with the column bytes_in_use (of memory_stats()) or "
                               "tpu.runtime.hbm.memory.usage.bytes (of tpu-info)");
    }

    void read_row() {
        cells_ = cells_of(row_, separator_);
        if (cells_.size() > count_)
            fail(cells_[count_], "at most " + trace::decimal(count_) + " cells, as in the header row");
        const growth_unit unit = has(step)                        ? growth_unit::numbers
                                 : has(time) || has(microseconds) ? growth_unit::times
                                                                  : growth_unit::steps;
        sample_series& target = found_.series(cell(device), unit);
        const std::uint64_t position = position_after(target.samples.size() + target.left_out);
        values read;
        for (const column which : {in_use, peak, limit, reserved}) {
            const std::string word = lower_case(cell(which));
            if (word.empty() || word == "nan" || word == "none" || word == "null") continue;
            read[which] =
                number(which, 1, which == in_use ? "bytes in use as a number below 2^64" : "bytes as a number");
        }
        if (read[in_use])
            collector::add(target, position, read, line_);
        else
            ++target.left_out;
    }

    [[nodiscard]] std::uint64_t position_after(std::uint64_t count) const {
        if (has(step)) return number(step, 1, "a step as a number");
        if (!has(time)) return has(microseconds) ? number(microseconds, 1, "microseconds as a number") : count + 1;
        std::uint64_t position = 0;
        if (!read_date_and_time(cell(time), position))
            position = number(time, 1'000'000, "seconds as a number, or a date as 2026-11-23T18:54:10");
        constexpr std::uint64_t latest_second = 100'000'000'000;
        if (position / 1'000'000 >= latest_second)
            fail(cell(time),
                 "seconds; this many are 3,000 years: divide milliseconds by 1,000, or name the column t and "
                 "write microseconds");
        return position;
    }

    [[nodiscard]] bool has(column which) const { return place_[which] != nowhere; }

    /// Returns the cell of this row in a column; empty, at the end of the row, without one.
    [[nodiscard]] std::string_view cell(column which) const {
        return place_[which] < cells_.size() ? cells_[place_[which]] : row_.substr(row_.size());
    }

    [[nodiscard]] std::uint64_t number(column which, std::uint64_t scale, std::string expected) const {
        const std::string_view text = cell(which);
        std::uint64_t value = 0;
        if (read_decimal(text, scale, value)) return value;
        const bool has_unit = which <= reserved && !text.empty() && is_digit(text.front()) &&
                              lower_case(text).find_first_of("kmgtb") != nowhere;
        fail(text, expected + (has_unit ? " without a unit: write bytes" : ""));
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t line_ = 0;
    std::string_view row_;
    char separator_ = ',';
    std::array<std::size_t, columns> place_{};  // of each column
    std::size_t count_ = 0;                     // of columns
    std::vector<std::string_view> cells_;
    collector found_;
};

/// Returns the number at the beginning of `text`, after the signs in `between`; empty if there is none.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view between) {
    text = text.substr(std::min(text.find_first_not_of(between), text.size()));
    std::uint64_t number = 0;
    if (!trace::parse_number(text.substr(0, text.find_first_not_of(digits)), number)) return std::nullopt;
    return number;
}

/// Returns the numbers with quoted keys that samples have, of dictionaries of Python or of JSON, by their places.
std::map<std::size_t, std::pair<column, std::uint64_t>> entries_of(std::string_view line) {
    std::map<std::size_t, std::pair<column, std::uint64_t>> found;
    for (const auto& [name, which] : names) {
        if (which > reserved) break;
        for (std::size_t at = line.find(name); at != nowhere; at = line.find(name, at + 1)) {
            const std::size_t end = at + name.size();
            const bool is_quoted = at > 0 && end < line.size() && line[at - 1] == line[end];
            if (!is_quoted || (line[end] != '\'' && line[end] != '"')) continue;
            if (const auto value = number_after(line.substr(end + 1), ": "))
                found.emplace(at, std::pair(which, *value));
        }
    }
    return found;
}

log_sample sample_of(const values& cells, std::string name = {}) {
    return {.device = std::move(name),
            .in_use = cells[in_use],
            .peak = cells[peak],
            .limit = cells[limit],
            .reserved = cells[reserved]};
}

/// Reads the devices of a line by its brackets: the innermost braces around bytes in use are a device. Its name is its
/// key in the dictionary around it, or else its place in the list, from 0.
class bracket_reader {
public:
    explicit bracket_reader(std::string_view line) : line_(line) {}

    std::vector<log_sample> read(const std::map<std::size_t, std::pair<column, std::uint64_t>>& entries) {
        for (std::size_t at = 0; at < line_.size(); ++at) {
            const char sign = line_[at];
            if (const auto entry = entries.find(at); entry != entries.end() && !open_.empty())
                open_.back().cells[entry->second.first] = entry->second.second;
            if (const std::size_t kind = std::string_view("{[(").find(sign); kind != nowhere) {
                open_.push_back({"}])"[kind], at, at + 1, 0, {}});
            } else if (sign == ',' && !open_.empty()) {
                ++open_.back().items;
                open_.back().item_begin = at + 1;
            } else if (!open_.empty() && sign == open_.back().closing) {
                close();
            }
        }
        while (!open_.empty()) close();
        return std::move(found_);
    }

private:
    struct bracket {
        char closing;
        std::size_t begin;       // of the bracket
        std::size_t item_begin;  // of the present item
        std::size_t items;       // before the present one
        values cells;
    };

    void close() {
        const bracket closed = open_.back();
        open_.pop_back();
        if (!closed.cells[in_use]) return;
        std::string name;
        if (!open_.empty() && open_.back().closing == '}')
            name = key_of(line_.substr(open_.back().item_begin, closed.begin - open_.back().item_begin));
        if (name.empty()) name = trace::decimal(open_.empty() ? found_.size() : open_.back().items);
        const std::size_t use = ++uses_[name];
        if (use > 1) name += " (" + trace::decimal(use) + ")";
        found_.push_back(sample_of(closed.cells, std::move(name)));
    }

    /// Returns the key of an item `'TPU_0': ` of a dictionary, without quotation marks; empty if it is none.
    static std::string key_of(std::string_view item) {
        item = trimmed(item);
        if (!item.ends_with(':')) return {};
        std::string name(trimmed(item.substr(0, item.size() - 1)));
        std::erase_if(name, [](char letter) { return letter == '"' || letter == '\''; });
        return name;
    }

    std::string_view line_;
    std::vector<bracket> open_;
    std::vector<log_sample> found_;
    std::map<std::string, std::size_t> uses_;
};

/// Returns the samples of a line with dictionaries. If devices cannot be told apart, the first of each value counts.
std::vector<log_sample> in_dictionaries(std::string_view line) {
    const auto entries = entries_of(line);
    values first;
    std::size_t count = 0;
    for (const auto& [at, entry] : entries) {
        if (entry.first == in_use) ++count;
        if (!first[entry.first]) first[entry.first] = entry.second;
    }
    if (count == 0) return {};
    if (count > 1)
        if (std::vector<log_sample> devices = bracket_reader(line).read(entries); devices.size() > 1) return devices;
    return {sample_of(first)};
}

/// Removes a number and its unit from the start of `text`, and returns it in bytes. Without a unit it is in GiB.
std::optional<std::uint64_t> take_size(std::string_view& text) {
    std::string size(text.substr(0, text.find_first_not_of("0123456789.")));
    text.remove_prefix(size.size());
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
    pair.is_certain = true;
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
        const std::optional<std::uint64_t> bytes = take_size(*size);
        if (!bytes || !trimmed(*size).empty()) return {};
        return {{.in_use = bytes, .is_certain = true}};
    }
    const std::size_t slash = line.find("iB / ");
    if (slash == nowhere || slash < 2) return {};
    std::size_t begin = line.find_last_not_of("0123456789. ", slash - 2) + 1;  // 0 without one
    begin = line.find_first_not_of(' ', begin);
    std::string_view rest = line.substr(begin);
    std::optional<log_sample> pair = take_pair(rest, " / ");
    const std::string_view name = cell_before(line, begin);
    if (!pair || name.empty() || name.find_first_not_of(digits) != nowhere) return {};
    pair->device = name;
    return {*pair};
}

}  // namespace

std::vector<std::string_view> cells_of(std::string_view line, char separator) {
    std::vector<std::string_view> cells;
    for (std::size_t from = 0; from <= line.size();) {
        std::size_t end = from;
        for (bool quoted = false; end < line.size() && (quoted || line[end] != separator); ++end)
            quoted ^= line[end] == '"';
        cells.push_back(trimmed(line.substr(from, end - from)));
        from = end + 1;
    }
    return cells;
}

std::optional<std::string_view> next_line(std::string_view& text, std::size_t& line) {
    if (line == 0 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
    while (!text.empty()) {
        const std::string_view content = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(content.size() + 1, text.size()));
        ++line;
        if (!trimmed(content).empty() && content.front() != '#') return content;
    }
    return std::nullopt;
}

std::vector<sample_series> read_samples(std::string_view text, const std::string& name) {
    return table_reader(text, name).read();
}

bool looks_like_samples(std::string_view text) {
    std::size_t line = 0;
    const std::optional<std::string_view> first = next_line(text, line);
    if (!first) return false;
    const std::vector<std::string_view> cells = cells_of(*first, separator_of(*first));
    return std::any_of(cells.begin(), cells.end(), [](std::string_view cell) {
        const column_name* const known = column_called(cell);
        return known != nullptr && known->which == in_use;
    });
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
        std::string_view line = std::string_view(log.text).substr(begin, end - begin);
        line = line.substr(0, line.find_last_not_of('\n') + 1);
        std::vector<log_sample> found = in_dictionaries(line);
        if (found.empty()) found = in_print(line);
        for (log_sample& each : found) {
            each.line = log.lines[at].number;
            each.row = at;
            each.step = step_in(line);
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
    bool is_certain = false;
    std::size_t lines = 0;
    for (std::size_t at = 0; at < samples.size(); ++at) {
        is_certain = is_certain || samples[at].is_certain;
        if (at == 0 || samples[at].row != samples[at - 1].row) ++lines;
    }
    return is_certain || lines >= fewest_log_samples ? series_of(samples) : std::vector<sample_series>{};
}

}  // namespace hbm::imported
