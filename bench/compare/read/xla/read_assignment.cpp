#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/read/xla/assignment.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

/// Steps over `|SHAPE|`. Shapes hold commas and colons, so they stand between bars.
std::string take_shape(text_cursor& line) {
    std::string_view shape;
    line.expect("|", "a shape between bars");
    if (!line.until("|", shape)) line.fail("a second bar at the end of the shape");
    line.expect("|", "a bar");
    return std::string(shape);
}

void take_flag(text_cursor& line, allocation& target) {
    line.expect(", ", "a comma and a flag, or a colon");
    if (line.accept("color ")) {
        target.color = line.take_number("the number of a color");
    } else if (line.accept("page ")) {
        (void)line.take_number("the number of a page");
    } else if (line.accept("parameter ")) {
        target.parameter = line.take_number("the number of a parameter");
        line.expect(", shape ", "`, shape ` and a shape between bars");
        target.shape = take_shape(line);
        line.expect(" at ShapeIndex ", "` at ShapeIndex `");
        target.index = line.take_index("an index such as {} or {1,0}");
    } else if (line.accept("output shape is ")) {
        target.has_result = true;
        target.shape = take_shape(line);
    } else {
        std::string_view word;
        if (!line.until(",:", word)) line.fail("a flag, and a colon at the end of the line");
        if (word == "constant") target.is_constant = true;
        if (word == "thread-local") target.is_per_thread = true;
        if (word == "maybe-live-out") target.is_live_out = true;
        if (word == "preallocated-temp") target.is_temporary = true;
    }
}

/// Reads the text after `allocation `: `N: [0xADDRESS, ]size BYTES, FLAGS:`.
allocation take_allocation(text_cursor line) {
    allocation result;
    result.number = line.take_number("the number of an allocation");
    line.expect(": ", "a colon and a space");
    std::string_view pointer;
    if (line.accept("0x") && !(line.until(",", pointer) && line.accept(", "))) line.fail("a comma");
    line.expect("size ", "`size` and bytes");
    result.bytes = line.take_number("a number of bytes");
    while (!line.accept(":")) take_flag(line, result);
    if (!line.done()) line.fail("the end of the line");
    return result;
}

/// Reads the text after ` value: `: `<ID NAME[{INDEX}][ (phi)] @COLOR> (size=BYTES,offset=OFFSET): SHAPE`.
buffer_value take_value(text_cursor line, const std::vector<allocation>& allocations) {
    buffer_value result;
    if (allocations.empty()) line.fail("an allocation before its values");
    line.expect("<", "`<`, a number, a name");
    result.id = line.take_number("`<`, a number, a name");
    line.expect(" ", "`<`, a number, a name");
    const std::size_t end = line.rest().find("> (size=");
    const std::size_t at_sign = line.rest().rfind(" @", end);
    if (end == std::string_view::npos || at_sign == std::string_view::npos)
        line.fail("a name, ` @`, a memory space and `> (size=`");
    std::string_view name = line.rest().substr(0, at_sign);
    constexpr std::string_view merged = " (phi)";
    if (name.ends_with(merged)) name.remove_suffix(merged.size());
    if (auto index = cut_index(name)) result.index = std::move(*index);
    result.name = name;
    line.go_to(line.at() + at_sign + 2);
    (void)line.take_number("a name, ` @` and the number of a memory space");
    line.expect("> (size=", "`> (size=`");
    result.bytes = line.take_number("bytes and `,offset=`");
    line.expect(",offset=", "bytes and `,offset=`");
    result.offset = line.take_number("bytes and `): `");
    line.expect("): ", "bytes and `): `");
    const std::uint64_t room = allocations.back().bytes;
    if (result.offset > room || result.bytes > room - result.offset)
        line.fail("a value that ends inside its allocation of " + trace::decimal(room) + " bytes");
    result.shape = line.rest();
    result.allocation = allocations.size() - 1;
    return result;
}

/// Places of values: an instruction makes or passes on an array, by its name and the index in its result.
using value_places = std::map<std::pair<std::string, index_path>, std::uint64_t>;

/// Returns the name of the instruction whose value is the result, or its table: the last of the allocation's values
/// with the result's shape. Empty without one.
std::string result_name(const assignment& source, std::size_t holder) {
    const std::string shape = without_layouts(source.allocations[holder].shape);
    std::string name;
    for (const buffer_value& entry : source.values)
        if (entry.allocation == holder && without_layouts(entry.shape) == shape) name = entry.name;
    return name;
}

/// Sets the outputs of an assignment: of a result that is no tuple its allocation, of a tuple the arrays at the places
/// of its result. Cost: O((values + places) x log).
void find_outputs(assignment& source, const value_places& places) {
    const auto holder = std::find_if(source.allocations.begin(), source.allocations.end(),
                                     [](const allocation& entry) { return entry.has_result; });
    if (holder == source.allocations.end()) return;
    const auto at = static_cast<std::size_t>(holder - source.allocations.begin());
    const auto add = [&](const index_path& index, std::size_t where, std::uint64_t bytes, const std::string& shape) {
        const allocation& place = source.allocations[where];
        source.outputs.push_back({index, bytes, where, place.parameter, place.index, shape});
    };
    if (!holder->is_result_table()) {
        // An allocation that holds a single array is as large as the array.
        add({}, at, holder->bytes, holder->shape);
        source.has_all_outputs = true;
        return;
    }
    const std::string name = result_name(source, at);
    const std::optional<std::vector<shape_leaf>> arrays = read_shape_leaves(holder->shape);
    if (name.empty() || !arrays) return;
    std::map<std::uint64_t, const buffer_value*> by_id;
    for (const buffer_value& entry : source.values) by_id.emplace(entry.id, &entry);
    for (const shape_leaf& entry : *arrays) {
        const auto place = places.find({name, entry.index});
        const auto known = place == places.end() ? by_id.end() : by_id.find(place->second);
        if (known == by_id.end()) continue;
        constexpr std::size_t longest_array_shape = 1000;  // a longer one is a tuple, which many outputs would copy
        if (known->second->shape.size() > longest_array_shape) continue;
        add(entry.index, known->second->allocation, known->second->bytes, known->second->shape);
    }
    source.has_all_outputs = source.outputs.size() == arrays->size();
}

/// Reader of the sections of a buffer assignment: allocations with their values, the total, uses of values, and live
/// ranges.
class assignment_reader {
public:
    /// Constructs a reader of this text; `file` is for messages. The text must outlive the reader.
    assignment_reader(std::string_view text, std::string file) : lines_(text), file_(std::move(file)) {}

    assignment read() {
        do {
            if (!lines_.next())
                throw trace::read_error(file_, "no line `BufferAssignment:`", "a buffer assignment of XLA");
        } while (!lines_.line().starts_with("BufferAssignment:"));
        const bool has_total = read_allocations();
        check_once();
        value_places places;
        if (has_total) {
            places = read_positions();
            read_live_ranges();
        } else {
            made_.cut_line = lines_.number();
        }
        find_outputs(made_, places);
        return std::move(made_);
    }

private:
    /// Reads up to the total. Returns false if the file was cut before it.
    bool read_allocations() {
        while (lines_.next()) {
            text_cursor line(lines_.line());
            try {
                if (line.accept("allocation ")) {
                    made_.allocations.push_back(take_allocation(line));
                    allocation_lines_.push_back(lines_.number());
                } else if (line.accept(" value: ")) {
                    buffer_value value = take_value(line, made_.allocations);
                    if (lines_.is_ended()) made_.values.push_back(std::move(value));
                } else if (line.accept("Total bytes used: ")) {
                    take_total(line);
                    return true;
                } else if (!line.done()) {
                    line.fail("`allocation`, ` value:` or `Total bytes used:` at the begin of the line");
                }
            } catch (const text_mistake& mistake) {
                if (!lines_.is_ended()) return false;
                const std::string_view rest = lines_.line().substr(mistake.at);
                throw trace::read_error(file_, lines_.number(), mistake.at + 1,
                                        rest.empty() ? "the end of the line" : trace::quoted(rest), mistake.expected);
            }
        }
        return false;
    }

    void take_total(text_cursor line) {
        const std::size_t begin = line.at();
        const std::uint64_t total = line.take_number("bytes, and the same as a rounded size in parentheses");
        if (!line.rest().ends_with(')')) line.fail("bytes, and the same as a rounded size in parentheses");
        const std::uint64_t listed = classify(made_.allocations).all;
        line.go_to(begin);
        if (listed > total) line.fail("at least the " + trace::decimal(listed) + " bytes of the allocations above");
        made_.used_bytes = total;
    }

    /// Checks that each allocation is listed once, and that each array of a parameter has one in a memory space.
    /// Cost: O(n log n).
    void check_once() const {
        std::map<std::uint64_t, std::size_t> numbers;
        std::map<std::tuple<std::uint64_t, std::uint64_t, index_path>, std::size_t> parameters;
        const auto check = [&](auto& lines, const auto& key, std::size_t at, const std::string& what,
                               const char* expected) {
            const auto [first, is_new] = lines.try_emplace(key, allocation_lines_[at]);
            if (is_new) return;
            constexpr std::size_t number_column = 12;
            throw trace::read_error(file_, allocation_lines_[at], number_column,
                                    what + " a second time, first in line " + trace::decimal(first->second), expected);
        };
        for (std::size_t at = 0; at < made_.allocations.size(); ++at) {
            const allocation& entry = made_.allocations[at];
            check(numbers, entry.number, at, "allocation " + trace::decimal(entry.number),
                  "each allocation once: a single buffer assignment");
            if (entry.parameter)
                check(parameters, std::tuple(entry.color, *entry.parameter, entry.index), at,
                      "parameter " + trace::decimal(*entry.parameter), "one allocation for each array of a parameter");
        }
    }

    /// Reads up to the live ranges: the places of each value.
    value_places read_positions() {
        value_places places;
        bool in_positions = false;
        bool has_id = false;
        std::uint64_t id = 0;
        while (lines_.next()) {
            text_cursor line(lines_.line());
            if (!lines_.is_ended()) {
                made_.cut_line = lines_.number();
                return places;
            }
            if (line.accept("HloLiveRange (max ")) {
                std::uint64_t length = 0;
                if (line.number(length) && line.accept("):")) made_.schedule_length = length;
                return places;
            }
            if (line.accept("<")) {
                in_positions = false;
                has_id = line.number(id);
            } else if (line.rest() == " positions:") {
                in_positions = has_id;
            } else if (in_positions && line.accept("  ")) {
                std::string_view name = line.rest();
                const index_path index = cut_index(name).value_or(index_path{});
                places.try_emplace({std::string(name), index}, id);
            } else {
                in_positions = false;
            }
        }
        if (!made_.values.empty()) made_.cut_line = lines_.number();
        return places;
    }

    /// Reads `NAME{INDEX}:BEGIN-END`; lines of another form are left out.
    void read_live_range(std::string_view words) {
        const std::size_t colon = words.rfind(':');
        if (colon == std::string_view::npos) return;
        live_range life;
        std::string_view name = words.substr(0, colon);
        const std::optional<index_path> index = cut_index(name);
        text_cursor numbers(words, colon + 1);
        if (index && numbers.number(life.begin) && numbers.accept("-") && numbers.number(life.end))
            made_.live_ranges.try_emplace({std::string(name), *index}, life);
    }

    /// Reads the lives of values, then `Live ranges at INSTRUCTION (peak):` and the values that are live there.
    void read_live_ranges() {
        bool in_ranges = false;
        bool in_peak = false;
        std::uint64_t sum = 0;
        while (lines_.next()) {
            text_cursor line(lines_.line());
            in_ranges = line.rest() == "  BufferLiveRange:" || (in_ranges && line.rest().starts_with("    "));
            if (in_ranges) {
                if (line.accept("    ")) read_live_range(line.rest());
            } else if (line.accept("  Live ranges at ")) {
                std::uint64_t at = 0;
                in_peak = line.number(at) && line.accept(" (peak)");
                if (in_peak) made_.busiest_at = at;
            } else if (in_peak) {
                std::string_view words = line.rest();
                words = words.substr(0, words.find(" (cumulative"));
                const std::size_t colon = words.rfind(": ");
                if (!words.starts_with("    ") || colon == std::string_view::npos) break;
                text_cursor size(words, colon + 2);
                std::uint64_t bytes = 0;
                if (!size.number(bytes) || size.rest() != " bytes") break;
                sum = saturating_add(sum, bytes);
            }
        }
        if (!lines_.is_ended())
            made_.cut_line = lines_.number();
        else if (made_.busiest_at)
            made_.busiest_unpadded = sum;
    }

    text_lines lines_;
    std::string file_;
    assignment made_;
    std::vector<std::size_t> allocation_lines_;
};

}  // namespace

assignment read_assignment(std::string_view text, const std::string& file) {
    return assignment_reader(text, file).read();
}

}  // namespace hbm::imported
