#include "compare/read/samples/samples.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "compare/read/samples/samples_cells.hpp"
#include "compare/replay/workload.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

/// Reader of the rows of a file; used once.
class reader {
public:
    reader(std::string_view text, std::string name) : text_(unmarked(text)), name_(std::move(name)) {}

    samples_result read() {
        const std::optional<std::string_view> first = next_line(text_, line_);
        if (!first) {
            fail(0, "nothing", "a header row with the column bytes_in_use");
            return std::move(result_);
        }
        if (!read_header(*first)) return std::move(result_);
        while (const std::optional<std::string_view> next = next_line(text_, line_))
            if (!read_row(*next)) {
                result_.devices.clear();
                return std::move(result_);
            }
        for (sample_series& entry : result_.devices) finish(entry);
        return std::move(result_);
    }

private:
    bool fail(std::size_t column, std::string content, std::string expected) {
        result_.error = trace::read_error{name_, line_, column + 1, std::move(content), std::move(expected)};
        return false;
    }
    bool wrong(std::string_view row, std::string_view cell, std::string expected) {
        const std::string_view text = trimmed(cell);
        return fail(static_cast<std::size_t>(cell.data() - row.data()), text.empty() ? "nothing" : trace::quoted(text),
                    std::move(expected));
    }

    bool read_header(std::string_view row) {
        header_.at.fill(header::absent);
        separator_ = separator_of(row);
        split(row, separator_, cells_);
        header_.count = cells_.size();
        for (std::size_t at = 0; at < cells_.size(); ++at) {
            const std::string name = lower(trimmed(cells_[at]));
            for (const column_name& entry : names) {
                if (entry.name != name) continue;
                if (header_.has(entry.which))
                    return wrong(row, cells_[at],
                                 "each column once: the same is in column " +
                                     trace::decimal(header_.at[entry.which] + 1) + " already");
                header_.at[entry.which] = at;
            }
        }
        if (!header_.has(in_use))
            return fail(0, trace::quoted(trimmed(row)),
                        "a header row with the column bytes_in_use (of memory_stats()) or "
                        "tpu.runtime.hbm.memory.usage.bytes (of tpu-info)");
        return true;
    }

    bool read_row(std::string_view row) {
        split(row, separator_, cells_);
        if (cells_.size() > header_.count)
            return wrong(row, cells_[header_.count],
                         "at most " + trace::decimal(header_.count) + " cells, as in the header row");
        sample_series& target = series_of(header_.has(device) ? trimmed(cell(row, device)) : std::string_view{});
        memory_sample result{.position = target.samples.size() + target.left_out + 1};
        if (header_.has(step)) {
            if (!number(row, step, 1, "a step as a number", result.position)) return false;
        } else if (header_.has(time)) {
            if (!read_date_and_time(trimmed(cell(row, time)), result.position) &&
                !number(row, time, 1'000'000, "seconds as a number, or a date as 2026-11-23T18:54:10", result.position))
                return false;
            if (result.position / 1'000'000 >= latest_second)
                return wrong(row, cell(row, time),
                             "seconds; this many are 3,000 years: divide milliseconds by 1,000, or name the column "
                             "t and write microseconds");
        } else if (header_.has(microseconds)) {
            if (!number(row, microseconds, 1, "microseconds as a number", result.position)) return false;
        }
        if (is_missing(trimmed(cell(row, in_use)))) {
            ++target.left_out;
            return true;
        }
        if (!number(row, in_use, 1, "bytes in use as a number below 2^64", result.in_use)) return false;
        std::optional<std::uint64_t> most;
        std::optional<std::uint64_t> end;
        std::optional<std::uint64_t> held;
        if (!maybe(row, peak, "bytes as a number", most) || !maybe(row, limit, "bytes as a number", end) ||
            !maybe(row, reserved, "bytes as a number", held))
            return false;
        result.most = most.value_or(result.in_use);
        if (!target.samples.empty()) {
            const std::uint64_t before = target.samples.back().position;
            if (target.back_line == 0 && result.position < before) target.back_line = line_;
            if (target.again_line == 0 && result.position == before) target.again_line = line_;
        }
        if (end && result.position >= target.limit_at) {
            target.limit = *end - std::min(*end, held.value_or(0));
            target.limit_at = result.position;
        }
        target.samples.push_back(result);
        return true;
    }

    [[nodiscard]] std::string_view cell(std::string_view row, column which) const {
        return header_.at[which] < cells_.size() ? cells_[header_.at[which]] : row.substr(row.size());
    }
    bool number(std::string_view row, column which, std::uint64_t scale, const char* expected, std::uint64_t& target) {
        if (read_decimal(trimmed(cell(row, which)), scale, target)) return true;
        const std::string_view text = trimmed(cell(row, which));
        const bool has_unit = scale == 1 && which != step && !text.empty() && text.front() >= '0' &&
                              text.front() <= '9' &&
                              (lower(text).ends_with('b') || lower(text).find_first_of("kmgt") < text.size());
        return wrong(row, cell(row, which),
                     has_unit ? std::string(expected) + " without a unit: write bytes" : expected);
    }
    bool maybe(std::string_view row, column which, const char* expected, std::optional<std::uint64_t>& target) {
        if (!header_.has(which) || is_missing(trimmed(cell(row, which)))) return true;
        std::uint64_t value = 0;
        if (!number(row, which, 1, expected, value)) return false;
        target = value;
        return true;
    }

    sample_series& series_of(std::string_view name) {
        // Samples of a device often follow each other.
        if (last_ < result_.devices.size() && result_.devices[last_].device == name) return result_.devices[last_];
        const auto [found, is_new] = number_of_.emplace(name, result_.devices.size());
        last_ = found->second;
        if (!is_new) return result_.devices[last_];
        const growth_unit unit = header_.has(step)                                ? growth_unit::numbers
                                 : header_.has(time) || header_.has(microseconds) ? growth_unit::times
                                                                                  : growth_unit::steps;
        result_.devices.push_back({.device = std::string(name), .unit = unit});
        return result_.devices.back();
    }

    /// Sorts samples, and sets the peaks in between.
    static void finish(sample_series& subject) {
        const auto before = [](const memory_sample& a, const memory_sample& b) { return a.position < b.position; };
        if (!std::is_sorted(subject.samples.begin(), subject.samples.end(), before)) {
            std::vector<std::size_t> order(subject.samples.size());
            for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
            std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return subject.samples[a].position != subject.samples[b].position
                           ? subject.samples[a].position < subject.samples[b].position
                           : a < b;
            });
            std::vector<memory_sample> sorted;
            sorted.reserve(order.size());
            for (const std::size_t at : order) sorted.push_back(subject.samples[at]);
            subject.samples = std::move(sorted);
        }
        std::size_t kept = 0;
        for (std::size_t at = 0; at < subject.samples.size(); ++at) {
            if (kept != 0 && subject.samples[kept - 1].position == subject.samples[at].position) --kept;
            subject.samples[kept++] = subject.samples[at];
        }
        subject.replaced = subject.samples.size() - kept;
        subject.samples.resize(kept);
        std::uint64_t peak = 0;
        for (memory_sample& entry : subject.samples) {
            const std::uint64_t seen = entry.most;
            entry.most = peak != 0 && seen > peak ? std::max(seen, entry.in_use) : entry.in_use;
            peak = std::max(peak, seen);
        }
    }

    static constexpr std::uint64_t latest_second = 100'000'000'000;

    std::string_view text_;
    std::string name_;
    std::size_t line_ = 0;
    char separator_ = ',';
    header header_;
    std::vector<std::string_view> cells_;
    std::size_t last_ = 0;                               // the number of the last device
    std::map<std::string_view, std::size_t> number_of_;  // index of each device, by its name in the text
    samples_result result_;
};

}  // namespace

samples_result read_samples(std::string_view text, std::string name) {
    return reader(text, std::move(name)).read();
}

}  // namespace hbm::imported
