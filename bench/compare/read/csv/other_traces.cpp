// Traces of other programs: instances of MiniMalloc, and logs of RMM.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/read/csv/table.hpp"
#include "compare/read/read_error.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

workload read_minimalloc(table& rows) {
    enum : std::size_t { id_, lower_, upper_, size_ };
    struct lifetime {
        std::string_view name;
        std::uint64_t bytes = 0;
        std::size_t line = 0;
        std::size_t column = 0;  // of the id
    };
    constexpr std::array<std::string_view, 5> names{"id", "lower", "upper", "size", "offset"};
    rows.accept_columns(names, 4);
    std::vector<lifetime> lifetimes;
    std::vector<std::tuple<std::uint64_t, bool, std::size_t>> moments;  // time, whether a lifetime begins, and which
    while (rows.next()) {
        const std::uint64_t lower = rows.number(lower_, "a time");
        const std::uint64_t upper = rows.number(upper_, "a time");
        const std::uint64_t bytes = rows.number(size_, "bytes");
        if (upper < lower) rows.wrong(upper_, "an upper time that is not below the lower one");
        if (rows.cell(id_).empty()) rows.wrong(id_, "an id");
        if (lower == upper) continue;
        moments.emplace_back(lower, true, lifetimes.size());
        moments.emplace_back(upper, false, lifetimes.size());
        lifetimes.push_back({rows.cell(id_), bytes, rows.line(), rows.column_of_cell(id_)});
    }
    std::sort(moments.begin(), moments.end());
    workload_builder builder(rows.file());
    for (const auto& [time, begins, which] : moments) {
        const auto& [name, bytes, line, column] = lifetimes[which];
        builder.at_line(line);
        row_failure problem = builder.at_time(time);
        if (problem.ok()) problem = begins ? builder.alloc(name, bytes) : builder.free(name, bytes);
        if (!problem.ok()) throw read_error(rows.file(), line, column, problem.found, problem.expected);
    }
    return std::move(builder).finish();
}

namespace {

constexpr std::uint64_t second = 1'000'000;
constexpr std::uint64_t day = 24 * 3600 * second;

bool is_null(std::string_view pointer) {
    if (pointer == "(nil)") return true;
    if (pointer.starts_with("0x") || pointer.starts_with("0X")) pointer.remove_prefix(2);
    return !pointer.empty() && pointer.find_first_not_of('0') == std::string_view::npos;
}

/// Microseconds since midnight or since the epoch; empty if the text is in neither notation.
std::optional<std::uint64_t> clock_of(std::string_view text) {
    constexpr std::uint64_t latest = 1'000'000'000'000;  // seconds: 30,000 years, and no overflow below
    std::uint64_t seconds = 0;
    std::string_view fraction;
    if (text.find(':') == std::string_view::npos) {
        const std::size_t point = std::min(text.find('.'), text.size());
        if (!parse_number(text.substr(0, point), seconds) || seconds > latest) return {};
        fraction = text.substr(std::min(point + 1, text.size()));
    } else {
        // HH:MM:SS, then a point or a colon and a fraction.
        std::uint64_t hours = 0;
        std::uint64_t minutes = 0;
        if (text.size() < 8 || text[2] != ':' || text[5] != ':' || !parse_number(text.substr(0, 2), hours) ||
            !parse_number(text.substr(3, 2), minutes) || !parse_number(text.substr(6, 2), seconds) || hours > 23 ||
            minutes > 59 || seconds > 60)
            return {};
        if (text.size() > 8 && text[8] != '.' && text[8] != ':') return {};
        seconds += (hours * 60 + minutes) * 60;
        fraction = text.substr(std::min<std::size_t>(9, text.size()));
    }
    if (fraction.find_first_not_of("0123456789") != std::string_view::npos) return {};
    std::uint64_t microseconds = 0;
    for (std::size_t at = 0; at < 6; ++at)
        microseconds = microseconds * 10 + (at < fraction.size() ? static_cast<std::uint64_t>(fraction[at] - '0') : 0);
    return seconds * second + microseconds;
}

/// Times of rows since the first; none as soon as one is missing or falls.
class row_times {
public:
    void add(std::string_view text) {
        if (!are_known_) return;
        std::optional<std::uint64_t> time = clock_of(text);
        are_known_ = time.has_value();
        if (!time) return;
        *time += midnights_ * day;
        const std::uint64_t last = times_.empty() ? 0 : times_.back();
        if (*time < last && last - *time > day / 2 && *time + day > last) {
            ++midnights_;
            *time += day;
        }
        are_known_ = *time >= last;
        times_.push_back(*time);
    }

    std::vector<std::uint64_t> finish() && {
        if (!are_known_) return {};
        const std::uint64_t first = times_.empty() ? 0 : times_.front();
        for (std::uint64_t& entry : times_) entry -= first;
        return std::move(times_);
    }

private:
    std::vector<std::uint64_t> times_;
    std::uint64_t midnights_ = 0;
    bool are_known_ = true;
};

}  // namespace

workload read_rmm(table& rows) {
    enum : std::size_t { action_, pointer_, size_, thread_, time_, stream_ };
    constexpr std::array<std::string_view, 6> names{"Action", "Pointer", "Size", "Thread", "Time", "Stream"};
    rows.accept_columns(names, 3);
    workload_builder builder(rows.file());
    row_times times;
    while (rows.next()) {
        const std::string_view action = rows.cell(action_);
        const std::string_view pointer = rows.cell(pointer_);
        const bool allocates = action == "allocate";
        const bool fails = action == "allocate failure";
        if (!allocates && !fails && action != "free" && action != "deallocate")
            rows.wrong(action_, "one of allocate, allocate failure, free");
        const std::uint64_t bytes = rows.number(size_, "bytes");
        if (fails) {
            builder.skip();
            continue;
        }
        if (is_null(pointer)) {
            if (bytes != 0) rows.wrong(pointer_, "the address of a buffer");
            continue;
        }
        builder.at_line(rows.line());
        const row_failure problem = allocates ? builder.alloc(pointer, bytes) : builder.free(pointer, bytes);
        if (!problem.ok())
            rows.wrong(problem.where == field::bytes ? size_ : pointer_, problem.expected, problem.found);
        times.add(rows.cell(time_));
    }
    workload result = std::move(builder).finish();
    result.times = std::move(times).finish();
    return result;
}

}  // namespace hbm::trace
