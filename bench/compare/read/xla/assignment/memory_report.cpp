#include "compare/read/xla/assignment/memory_report.hpp"

#include <hbm/core/bytes.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "compare/read/file_kind.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/allocation.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/text_cursor.hpp"
#include "compare/text/json_writer.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported::xla {

namespace {

/// Reader of a memory usage report. From a file that was cut, it returns the whole entries before the cut.
class memory_report_reader {
public:
    /// Constructs a reader of this text; `file` is for messages. The text must outlive the reader.
    memory_report_reader(std::string_view text, std::string file) : lines_(text) { error_.file = std::move(file); }

    /// Returns the report, or the first malformed line. Cost: O(size x log(allocations)).
    reading<memory_report> read() {
        while (lines_.next()) {
            if (read_line()) continue;
            if (lines_.is_ended()) return error_;
            made_.cut_line = lines_.number();
            break;
        }
        if (!made_.used_bytes && made_.spaces.empty())
            return trace::read_error{error_.file, 0, 0, "no line `Total bytes used:` and no line `Memory Space:`",
                                     "a memory usage report of XLA"};
        if (!in_first_table_ && has_tables_) made_.allocation_count = announced_;
        if (!made_.has_all_allocations() && made_.cut_line == not_cut) made_.cut_line = lines_.number();
        return std::move(made_);
    }

private:
    bool read_line() {
        text_cursor line(lines_.line());
        if (line.accept("Total bytes used: ")) return read_used(line);
        if (line.accept("Memory Space: ")) return read_space(line);
        if (line.accept("Total bytes: ")) return read_space_total(line);
        if (line.accept("Allocations sorted by size with their values:")) {
            if (in_first_table_)
                announced_ = saturating_add(announced_, saturating_add(made_.allocations.size() - table_begin_, rest_));
            in_first_table_ = false;
            return lines_.is_ended();
        }
        if (line.accept("Allocations sorted by size:")) {
            in_first_table_ = has_tables_ = true;
            table_begin_ = made_.allocations.size();
            rest_ = 0;
            return lines_.is_ended();
        }
        if (line.accept("The rest ")) {
            std::uint64_t count = 0;
            if (!line.number(count) || !line.accept(" allocations")) return wrong(line, "a number of allocations");
            made_.not_shown = saturating_add(made_.not_shown, count);
            rest_ = count;
            return lines_.is_ended();
        }
        return read_table_line(line);
    }

    bool read_used(text_cursor line) {
        std::uint64_t total = 0;
        if (made_.used_bytes) {
            wrong(line, {});
            error_.found = "a second total";
            error_.expected = "a single memory usage report";
            return false;
        }
        if (!line.number(total) || !line.rest().ends_with(')')) return wrong(line, size_words);
        made_.used_bytes = total;
        return true;
    }

    /// `NAME (color=N)`.
    bool read_space(text_cursor line) {
        reported_space space;
        std::string_view name;
        if (!line.until("(", name) || !line.accept("(color=") || !line.number(space.color) || !line.accept(")"))
            return wrong(line, "a name and `(color=N)`");
        if (name.ends_with(' ')) name.remove_suffix(1);
        space.name = valid_text(name);
        if (!colors_.insert(space.color).second || !names_.insert(space.name).second)
            return wrong(line, "each memory space once");
        made_.spaces.push_back(std::move(space));
        return true;
    }

    bool read_space_total(text_cursor line) {
        std::uint64_t total = 0;
        if (made_.spaces.empty()) return wrong(line, "`Memory Space:` before its total");
        if (!line.number(total) || !line.rest().ends_with(')')) return wrong(line, size_words);
        made_.spaces.back().bytes = total;
        return true;
    }

    /// `CUMULATIVE( P%); REST; allocation N: ...`, or `allocation N: ...`.
    bool read_table_line(text_cursor line) {
        constexpr std::string_view mark = "allocation ";
        std::size_t at = lines_.line().find(mark);
        if (at == std::string_view::npos) return true;
        if (at != 0 && !lines_.line().substr(0, at).ends_with("; ")) return true;
        line.accept(lines_.line().substr(0, at + mark.size()));
        allocation result;
        line_mistake mistake;
        if (!allocation_line(line).read(result, mistake)) {
            error_.line = lines_.number();
            error_.column = mistake.column;
            error_.found = mistake.found;
            error_.expected = mistake.expected;
            return false;
        }
        if (result.color == 0 && !made_.spaces.empty()) result.color = made_.spaces.back().color;
        const auto [known, is_new] = known_.emplace(result.number, made_.allocations.size());
        if (!is_new) {
            if (made_.allocations[known->second] == result) return true;
            return wrong(line, "allocation " + trace::decimal(result.number) + " as in the table before");
        }
        if (result.parameter && !parameters_.emplace(result.color, *result.parameter, result.index).second)
            return wrong(line, "one allocation for each array of a parameter");
        if (!result.unknown_flag.empty() && made_.first_unknown_flag_line == 0)
            made_.first_unknown_flag_line = lines_.number();
        made_.allocations.push_back(std::move(result));
        return true;
    }

    bool wrong(const text_cursor& at, std::string expected) {
        error_.line = lines_.number();
        error_.column = at.column();
        error_.found = at.done() ? "the end of the line" : trace::quoted(at.rest());
        error_.expected = std::move(expected);
        return false;
    }

    static constexpr const char* size_words = "bytes, and the same as a rounded size in parentheses";

    text_lines lines_;
    memory_report made_;
    std::set<std::uint64_t> colors_;  // colors of its spaces
    std::set<std::string> names_;     // names of its spaces
    trace::read_error error_;
    std::map<std::uint64_t, std::size_t> known_;  // number of an allocation to its index
    std::set<std::tuple<std::uint64_t, std::uint64_t, index_path>> parameters_;  // color, parameter, index
    bool has_tables_ = false;
    bool in_first_table_ = false;
    std::size_t table_begin_ = 0;  // allocations before the first table of this memory space
    std::uint64_t rest_ = 0;       // allocations that this table leaves out
    std::uint64_t announced_ = 0;  // allocations that the first tables list or leave out
};

}  // namespace

std::optional<std::uint64_t> memory_report::total_bytes() const {
    if (used_bytes || spaces.empty()) return used_bytes;
    std::uint64_t sum = 0;
    for (const reported_space& entry : spaces) {
        if (!entry.bytes) return std::nullopt;
        sum = saturating_add(sum, *entry.bytes);
    }
    return sum;
}

reading<memory_report> read_memory_report(std::string_view text, std::string file) {
    return memory_report_reader(text, std::move(file)).read();
}

namespace {

/// Returns half a unit of the last digit: the possible error of a rounded size; 0 if it is exact. XLA prints K with one
/// decimal and larger units with two.
std::string off_by(const rounded_size& size) {
    if (size.is_exact()) return "0";
    constexpr std::pair<std::uint64_t, std::string_view> halves[] = {
        {51, "51.2"},
        {5'242, "5242.88"},
        {5'368'709, "5368709.12"},
        {5'497'558'138, "5497558138.88"},
        {5'629'499'534'213, "5629499534213.12"},
        {5'764'607'523'034'234, "5764607523034234.88"},
    };
    const std::uint64_t below = size.bytes - size.low;
    for (const auto& [whole, text] : halves)
        if (below + 1 >= whole && below <= whole + 1) return std::string(text);
    return std::to_string(below);
}

void write(json_writer& json, const rounded_size& size) {
    json.field("about_bytes", size.bytes);
    json.literal("off_by", off_by(size));
}

std::string entries(const memory_report& subject) {
    json_writer json;
    json.objects(subject.allocations, [&](const allocation& entry) {
        json.field("number", entry.number);
        write(json, entry.size);
        json.field("color", entry.color);
        json.literal("parameter", number_json(entry.parameter));
        json.key("shape");
        entry.parameter ? json.value(entry.shape) : json.null();
        json.field("live_out", entry.is_live_out);
        json.field("temp", entry.is_temporary);
        json.field("constant", entry.is_constant);
        json.field("thread_local", entry.is_per_thread);
    });
    return json.text();
}

std::string sums(const memory_classes& subject) {
    json_writer json;
    json.begin_object();
    json.field("argument_bytes", subject.argument.bytes);
    json.field("output_bytes", subject.output.bytes);
    json.field("alias_bytes", subject.alias.bytes);
    json.field("temp_bytes", subject.temporary.bytes);
    json.field("constant_bytes", subject.constant.bytes);
    json.literal("other_memory_bytes", spaces_json(subject.other_spaces));
    json.end_object();
    return json.text();
}

std::string spaces(const memory_report& subject) {
    json_writer json;
    json.begin_object();
    for (const reported_space& entry : subject.spaces) {
        json.literal(entry.name, number_json(entry.bytes));
    }
    json.end_object();
    return json.text();
}

}  // namespace

description describe(const memory_report& subject) {
    const memory_classes match = classify(subject.allocations);
    const bool is_whole = subject.has_all_allocations();
    description result = described_sums(file_kind::report, match, is_whole);
    result.more = {{"total_stated_bytes", number_json(subject.total_bytes())},
                   {"spaces", spaces(subject)},
                   {"entries", entries(subject)},
                   {"about", is_whole ? sums(match) : "null"},
                   {"not_shown", std::to_string(subject.not_shown)},
                   {"cut_line", subject.cut_line == not_cut ? "null" : std::to_string(subject.cut_line)}};
    return result;
}

}  // namespace hbm::imported::xla
