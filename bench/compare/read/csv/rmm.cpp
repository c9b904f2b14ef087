#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/csv/table.hpp"
#include "compare/replay/row_failure.hpp"
#include "compare/replay/workload.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

/// Reader of the rows of an RMM log, after its header row. Cost: O(size of the text).
///
/// - `allocate` and `free` (also written `deallocate`) become rows. The pointer, in any notation, is the id, and may be
///   reused after it was freed. `allocate failure` is counted in `workload::skipped`.
/// - A null pointer means an allocation of 0 bytes, which takes no memory: such rows are left out.
/// - `Time` is the time of day, `18:44:01.123456` or `18:44:01:123456`, or seconds, `1634567890.123456`.
/// - If every row has a time and times never decrease, `t` is the time since the first row, also across midnight.
///   Otherwise the trace has no times: several threads write the log, so only the order of its lines is reliable.
class rmm_reader {
public:
    /// Reads from this table, which must outlive the reader.
    explicit rmm_reader(table& rows) : rows_(rows), builder_(rows.file()) {}

    /// Returns the workload, or the first error.
    read_result read() {
        static constexpr std::array<std::string_view, 6> names{"Action", "Pointer", "Size", "Thread", "Time", "Stream"};
        if (!rows_.read_all(names, 3, [&] { return read_row(); })) return rows_.error();
        return finish();
    }

private:
    enum column : std::size_t { action_, pointer_, size_, thread_, time_, stream_ };
    static constexpr std::uint64_t second = 1'000'000;
    static constexpr std::uint64_t day = 24 * 3600 * second;

    bool read_row() {
        const std::string_view action = rows_.cell(action_);
        const std::string_view pointer = rows_.cell(pointer_);
        std::uint64_t bytes = 0;
        const bool allocates = action == "allocate";
        const bool fails = action == "allocate failure";
        if (!allocates && !fails && action != "free" && action != "deallocate") {
            return rows_.wrong(action_, "one of allocate, allocate failure, free");
        }
        if (!rows_.number(size_, "bytes", bytes)) return false;
        if (fails) {
            builder_.skip();
            return true;
        }
        if (is_null(pointer)) {
            return bytes == 0 || rows_.wrong(pointer_, "the address of a buffer");
        }
        builder_.at_line(rows_.line());
        const row_failure problem = allocates ? builder_.alloc(pointer, bytes) : builder_.free(pointer, bytes);
        if (!problem.ok()) {
            const column where = problem.where == field::bytes ? size_ : pointer_;
            return rows_.wrong(where, problem.found, problem.expected);
        }
        note_time(rows_.cell(time_));
        return true;
    }

    static bool is_null(std::string_view pointer) {
        if (pointer == "(nil)") return true;
        if (pointer.substr(0, 2) == "0x" || pointer.substr(0, 2) == "0X") pointer.remove_prefix(2);
        return !pointer.empty() && pointer.find_first_not_of('0') == std::string_view::npos;
    }

    void note_time(std::string_view text) {
        if (!timed_) return;
        std::optional<std::uint64_t> time = clock(text);
        timed_ = time.has_value();
        if (!time) return;
        *time += midnights_ * day;
        if (!times_.empty() && *time < times_.back() && times_.back() - *time > day / 2 &&
            *time + day > times_.back()) {
            ++midnights_;
            *time += day;
        }
        timed_ = times_.empty() || *time >= times_.back();
        times_.push_back(*time);
    }

    // Microseconds since midnight or since the epoch; empty if the text is in neither notation.
    static std::optional<std::uint64_t> clock(std::string_view text) {
        constexpr std::uint64_t latest = 1'000'000'000'000;  // seconds: 30,000 years, and no overflow below
        std::uint64_t seconds = 0;
        const std::size_t colon = text.find(':');
        if (colon == std::string_view::npos) {
            const std::size_t point = text.find('.');
            if (!parse_number(text.substr(0, point), seconds) || seconds > latest) return {};
            return with_fraction(seconds, point == std::string_view::npos ? "" : text.substr(point + 1));
        }
        // HH:MM:SS, then a point or a colon and a fraction.
        std::uint64_t hours = 0;
        std::uint64_t minutes = 0;
        if (colon != 2 || text.size() < 8 || text[5] != ':' || !parse_number(text.substr(0, 2), hours) ||
            !parse_number(text.substr(3, 2), minutes) || !parse_number(text.substr(6, 2), seconds) || hours > 23 ||
            minutes > 59 || seconds > 60) {
            return {};
        }
        if (text.size() > 8 && text[8] != '.' && text[8] != ':') return {};
        return with_fraction((hours * 60 + minutes) * 60 + seconds, text.size() > 8 ? text.substr(9) : "");
    }

    static std::optional<std::uint64_t> with_fraction(std::uint64_t seconds, std::string_view digits) {
        std::uint64_t fraction = 0;
        if (digits.find_first_not_of("0123456789") != std::string_view::npos) return {};
        for (std::size_t at = 0; at < 6; ++at) {
            fraction = fraction * 10 + (at < digits.size() ? static_cast<std::uint64_t>(digits[at] - '0') : 0);
        }
        return seconds * second + fraction;
    }

    read_result finish() {
        workload result = std::move(builder_).finish();
        if (timed_ && !times_.empty()) {
            const std::uint64_t first = times_.front();
            for (std::uint64_t& entry : times_) entry -= first;
            result.times = std::move(times_);
        }
        return result;
    }

    table& rows_;
    workload_builder builder_;
    std::vector<std::uint64_t> times_;
    std::uint64_t midnights_ = 0;
    bool timed_ = true;
};

}  // namespace

read_result read_rmm_rows(table& rows) {
    return rmm_reader(rows).read();
}

}  // namespace hbm::trace
