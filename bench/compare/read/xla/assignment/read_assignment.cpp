#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/read/xla/allocation.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/text_cursor.hpp"
#include "compare/replay/workload.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported::xla {

namespace {

/// Reader of the sections of a buffer assignment: allocations with their values, the total, uses of values, and live
/// ranges. From a file that was cut, it returns the whole entries before the cut.
class assignment_reader {
public:
    /// Constructs a reader of this text; `file` is for messages. The text must outlive the reader.
    assignment_reader(std::string_view text, std::string file) : lines_(text) { error_.file = std::move(file); }

    /// Returns the assignment, or the first malformed line. Cost: O(size x log(values)).
    reading<assignment> read() {
        if (!find_begin() || !read_allocations() || !check_numbers() || !check_parameters()) return error_;
        if (at_end_) {
            made_.cut_line = lines_.number();
        } else {
            read_positions();
            read_live_ranges();
        }
        find_outputs(made_, std::move(places_));
        return std::move(made_);
    }

private:
    bool find_begin() {
        while (lines_.next())
            if (lines_.line().starts_with("BufferAssignment:")) return true;
        return wrong(0, "no line `BufferAssignment:`", "a buffer assignment of XLA");
    }

    /// Reads up to the total, or the end of a file that was cut.
    bool read_allocations() {
        while (lines_.next()) {
            text_cursor line(lines_.line());
            if (line.accept("allocation ")) {
                if (!read_allocation(line)) return at_end_;
            } else if (line.accept(" value: ")) {
                if (!read_value(line)) return at_end_;
            } else if (line.accept("Total bytes used: ")) {
                return read_total(line) || at_end_;
            } else if (!line.done()) {
                return wrong_or_cut(1, trace::quoted(line.rest()),
                                    "`allocation`, ` value:` or `Total bytes used:` at the begin of the line") ||
                       at_end_;
            }
        }
        at_end_ = true;
        return true;
    }

    bool read_allocation(text_cursor line) {
        allocation result;
        line_mistake mistake;
        if (!allocation_line(line).read(result, mistake))
            return wrong_or_cut(mistake.column, mistake.found, mistake.expected);
        if (!result.unknown_flag.empty() && made_.first_unknown_flag_line == 0)
            made_.first_unknown_flag_line = lines_.number();
        made_.allocations.push_back(std::move(result));
        allocation_lines_.push_back(lines_.number());
        return true;
    }

    /// Reads the text after ` value: `: `<ID NAME[{INDEX}][ (phi)] @COLOR> (size=BYTES,offset=OFFSET): SHAPE`.
    bool read_value(text_cursor line) {
        const auto malformed = [&](std::string_view expected) {
            return wrong_or_cut(line.column(), line.done() ? "the end of the line" : trace::quoted(line.rest()),
                                expected);
        };
        buffer_value result;
        if (made_.allocations.empty()) return malformed("an allocation before its values");
        std::uint32_t color = 0;
        if (!line.accept("<") || !line.number(result.id) || !line.accept(" "))
            return malformed("`<`, a number, a name");
        const std::size_t end = line.rest().find("> (size=");
        const std::string_view name = line.rest().substr(0, end);
        const std::size_t at_sign = name.rfind(" @");
        if (end == std::string_view::npos || at_sign == std::string_view::npos)
            return malformed("a name, ` @`, a memory space and `> (size=`");
        std::string_view own = name.substr(0, at_sign);
        text_cursor behind(name.substr(at_sign + 2));
        if (!behind.number(color) || !behind.done()) return malformed("a name, ` @` and the number of a memory space");
        cut_name(own, result);
        if (!line.accept(name) || !line.accept("> (size=")) return malformed("`> (size=`");
        if (!line.number(result.bytes) || !line.accept(",offset=")) return malformed("bytes and `,offset=`");
        if (!line.number(result.offset) || !line.accept("): ")) return malformed("bytes and `): `");
        const allocation& holder = made_.allocations.back();
        if (result.offset > holder.size.bytes || result.bytes > holder.size.bytes - result.offset)
            return malformed("a value that ends inside its allocation of " + trace::decimal(holder.size.bytes) +
                             " bytes");
        if (!lines_.is_ended()) return cut();
        result.shape = line.rest();
        result.allocation = made_.allocations.size() - 1;
        made_.values.push_back(std::move(result));
        return true;
    }

    static void cut_name(std::string_view name, buffer_value& target) {
        constexpr std::string_view merged = " (phi)";
        if (name.ends_with(merged)) name.remove_suffix(merged.size());
        if (auto index = cut_index(name)) target.index = std::move(*index);
        target.name = name;
    }

    bool read_total(text_cursor line) {
        std::uint64_t total = 0;
        if (!line.number(total) || !line.rest().ends_with(')'))
            return wrong_or_cut(line.column(), line.done() ? "the end of the line" : trace::quoted(line.rest()),
                                "bytes, and the same as a rounded size in parentheses");
        const std::uint64_t listed = classify(made_.allocations).all.bytes;
        if (listed > total)
            return wrong(line.column(), "a total of " + trace::decimal(total) + " bytes",
                         "at least the " + trace::decimal(listed) + " bytes of the allocations above");
        made_.used_bytes = total;
        return true;
    }

    /// Sets the error of an allocation whose number or parameter an earlier line has. Returns false.
    bool fail_repeated(const std::string& repeated, std::size_t line, std::size_t first, std::string_view expected) {
        error_.line = line;
        error_.column = 12;  // the number of the allocation
        error_.found = repeated + " a second time, first in line " + trace::decimal(first);
        error_.expected = expected;
        return false;
    }
    /// Checks that each allocation is listed once. Cost: O(n log n).
    bool check_numbers() {
        std::vector<std::pair<std::uint64_t, std::size_t>> numbers;
        for (std::size_t at = 0; at < made_.allocations.size(); ++at)
            numbers.emplace_back(made_.allocations[at].number, allocation_lines_[at]);
        std::sort(numbers.begin(), numbers.end());
        for (std::size_t at = 1; at < numbers.size(); ++at) {
            if (numbers[at].first != numbers[at - 1].first) continue;
            return fail_repeated("allocation " + trace::decimal(numbers[at].first), numbers[at].second,
                                 numbers[at - 1].second, "each allocation once: a single buffer assignment");
        }
        return true;
    }

    /// Checks that each array of a parameter has one allocation in a memory space. Cost: O(n log n).
    bool check_parameters() {
        std::map<std::tuple<std::uint32_t, std::uint64_t, index_path>, std::size_t> lines;
        for (std::size_t at = 0; at < made_.allocations.size(); ++at) {
            const allocation& entry = made_.allocations[at];
            if (!entry.parameter) continue;
            const auto [first, is_new] =
                lines.try_emplace({entry.color, *entry.parameter, entry.index}, allocation_lines_[at]);
            if (!is_new)
                return fail_repeated("parameter " + trace::decimal(*entry.parameter), allocation_lines_[at],
                                     first->second, "one allocation for each array of a parameter");
        }
        return true;
    }

    /// Reads up to the live ranges: the places of each value, by instruction.
    void read_positions() {
        bool in_positions = false;
        std::uint64_t id = 0;
        while (lines_.next()) {
            text_cursor line(lines_.line());
            if (!lines_.is_ended()) {
                made_.cut_line = lines_.number();
                return;
            }
            if (line.accept("HloLiveRange (max ")) {
                std::uint64_t length = 0;
                if (line.number(length) && line.accept("):")) made_.schedule_length = length;
                return;
            }
            if (line.accept("<")) {
                in_positions = false;
                has_id_ = line.number(id);
            } else if (line.rest() == " positions:") {
                in_positions = has_id_;
            } else if (in_positions && line.accept("  ")) {
                std::string_view name = line.rest();
                value_place place;
                if (auto index = cut_index(name)) place.index = std::move(*index);
                place.name = name;
                place.value = id;
                places_.push_back(std::move(place));
            } else {
                in_positions = false;
            }
        }
        if (!made_.values.empty()) made_.cut_line = lines_.number();
    }

    /// Reads `NAME{INDEX}:BEGIN-END`; lines of another form are left out.
    void read_live_range(std::string_view words) {
        const std::size_t colon = words.rfind(':');
        if (colon == std::string_view::npos) return;
        live_range life;
        std::string_view name = words.substr(0, colon);
        const std::optional<index_path> index = cut_index(name);
        text_cursor numbers(words, colon + 1);
        if (!index || !numbers.number(life.begin) || !numbers.accept("-") || !numbers.number(life.end)) return;
        life.name = name;
        life.index = *index;
        made_.live_ranges.push_back(std::move(life));
    }

    /// Reads the lives of values, then `Live ranges at INSTRUCTION (peak):` and the values that are live there.
    void read_live_ranges() {
        bool in_ranges = false;
        bool in_peak = false;
        std::uint64_t sum = 0;
        while (lines_.next()) {
            text_cursor line(lines_.line());
            if (line.rest() == "  BufferLiveRange:") {
                in_ranges = true;
                continue;
            }
            in_ranges = in_ranges && lines_.line().starts_with("    ");
            if (in_ranges) {
                read_live_range(lines_.line().substr(4));
                continue;
            }
            if (line.accept("  Live ranges at ")) {
                std::uint64_t at = 0;
                in_peak = line.number(at) && line.accept(" (peak)");
                if (in_peak) made_.busiest_at = at;
            } else if (in_peak && line.accept("    ")) {
                std::string_view words = line.rest();
                words = words.substr(0, words.find(" (cumulative"));
                if (!words.ends_with(" bytes")) break;
                words.remove_suffix(6);
                std::uint64_t bytes = 0;
                const std::size_t colon = words.rfind(": ");
                if (colon == std::string_view::npos) break;
                if (!trace::parse_number(words.substr(colon + 2), bytes)) break;
                sum = saturating_add(sum, bytes);
            } else if (in_peak) {
                break;
            }
        }
        if (!lines_.is_ended())
            made_.cut_line = lines_.number();
        else if (made_.busiest_at)
            made_.busiest_unpadded = sum;
    }

    /// Sets the error, unless the file was cut: its last line then has no end. Returns false.
    bool wrong_or_cut(std::size_t column, std::string content, std::string_view expected) {
        return lines_.is_ended() ? wrong(column, std::move(content), expected) : cut();
    }
    bool cut() {
        at_end_ = true;
        return false;
    }
    bool wrong(std::size_t column, std::string content, std::string_view expected) {
        error_.line = column == 0 ? 0 : lines_.number();
        error_.column = column;
        error_.found = std::move(content);
        error_.expected = expected;
        return false;
    }

    text_lines lines_;
    assignment made_;
    trace::read_error error_;
    std::vector<std::size_t> allocation_lines_;
    std::vector<value_place> places_;
    bool has_id_ = false;
    bool at_end_ = false;
};

}  // namespace

reading<assignment> read_assignment(std::string_view text, std::string file) {
    return assignment_reader(text, std::move(file)).read();
}

}  // namespace hbm::imported::xla
