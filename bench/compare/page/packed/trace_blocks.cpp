#include "compare/page/packed/trace_blocks.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "compare/replay/capacity.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// A writer of names. Most are the name of the block before with the next number.
class name_writer {
public:
    void add(std::string& bytes, std::string_view name) {
        const bool follows = !next_.empty() && name == next_;
        if (follows) {
            add_number(bytes, 0);
        } else {
            add_number(bytes, name.size() + 1);
            bytes += name;
        }
        next_ = successor(name);
    }

private:
    /// Returns `b18` for `b17`; empty for a name without a number, or if it has over 15 digits or leading zeros.
    static std::string successor(std::string_view name) {
        const std::size_t digits = name.size() - (name.find_last_not_of("0123456789") + 1);
        const std::string_view number = name.substr(name.size() - digits);
        std::uint64_t value = 0;
        if (digits > 15 || (digits > 1 && number.front() == '0') || !trace::parse_number(number, value)) return {};
        return std::string(name.substr(0, name.size() - digits)) + std::to_string(value + 1);
    }

    std::string next_;
};

/// Adds the rows at which the distance between a row and its line changes, and the changes.
void add_lines(std::string& bytes, const trace::number_list& lines) {
    std::string steps;
    std::uint64_t count = 0;
    std::size_t last_row = 0;
    std::size_t distance = 0;
    for (std::size_t row = 0; row < lines.size(); ++row) {
        if (lines[row] - row == distance) continue;
        add_number(steps, row - last_row);
        add_number(steps, lines[row] - row - distance);
        distance = lines[row] - row;
        last_row = row;
        ++count;
    }
    add_number(bytes, count);
    bytes += steps;
}

/// Adds 1 and the differences of the times of the rows, the first being 0; or 0 without times.
void add_times(std::string& bytes, const trace::workload& load) {
    const bool has_times = duration_of(load).has_value();
    add_number(bytes, has_times ? 1 : 0);
    for (std::size_t row = 0; has_times && row < load.rows.size(); ++row)
        add_number(bytes, load.times[row] - load.times[row == 0 ? 0 : row - 1]);
}

}  // namespace

std::optional<std::uint64_t> duration_of(const trace::workload& load) {
    if (load.times.empty()) return std::nullopt;
    const std::uint64_t passed = load.times.back() - load.times.front();
    if (passed >= max_exact_number / 2) return std::nullopt;
    return passed + std::max<std::uint64_t>(passed / load.times.size(), 1);
}

std::vector<trace_block> trace_blocks(const trace::workload& load, std::uint64_t quantum) {
    std::vector<trace_block> made;
    std::vector<std::size_t> latest(load.ids.size(), 0);  // latest block of each id, counted from 1
    const auto begin = [&](trace::id subject, std::uint64_t bytes, std::size_t row) {
        made.push_back({.subject = subject,
                        .tag = load.rows[row].tag,
                        .bytes = trace::granted(bytes, quantum),
                        .begin = row,
                        .end = load.rows.size()});
        latest[subject] = made.size();
    };
    const auto end = [&](trace::id subject, std::size_t row) {
        if (latest[subject] != 0) made[latest[subject] - 1].end = row;
        latest[subject] = 0;
    };
    for (std::size_t row = 0; row < load.rows.size(); ++row) {
        const trace::row& next = load.rows[row];
        if (next.what == trace::op::alloc || next.what == trace::op::import) begin(next.subject, next.bytes, row);
        if (next.what == trace::op::free) end(next.subject, row);
        if (next.what != trace::op::run) continue;
        const trace::detail& more = load.details[next.detail];
        for (std::uint32_t at = 0; at < more.donated.count; ++at) end(load.operands[more.donated.first + at], row);
        for (std::uint32_t at = 0; at < more.outputs.count; ++at) {
            const trace::sized_id& output = load.outputs[more.outputs.first + at];
            begin(output.name, output.bytes, row);
        }
    }
    return made;
}

std::string packed_trace(const trace::workload& load, const std::vector<trace_block>& blocks, std::uint64_t quantum) {
    std::string bytes;
    add_number(bytes, load.rows.size());
    add_number(bytes, blocks.size());
    std::size_t row = 0;
    for (const trace_block& each : blocks) {
        add_number(bytes, each.begin - row);
        row = each.begin;
    }
    for (const trace_block& each : blocks) add_number(bytes, each.end - each.begin);
    for (const trace_block& each : blocks) add_number(bytes, each.bytes / quantum);
    for (const trace_block& each : blocks) add_number(bytes, each.tag);
    name_writer names;
    for (const trace_block& each : blocks) names.add(bytes, load.ids[each.subject]);
    add_lines(bytes, load.lines);
    add_times(bytes, load);
    return bytes;
}

free_ranges::free_ranges(std::uint64_t capacity) {
    if (capacity != 0) holes_.push_back({0, capacity});
}

std::optional<std::uint64_t> free_ranges::place(guess rule, std::uint64_t size) const {
    const bool is_best = rule == guess::low_end_of_best || rule == guess::high_end_of_best;
    const bool is_high = rule == guess::high_end_of_best || rule == guess::highest;
    const hole* chosen = nullptr;
    std::uint64_t least = ~std::uint64_t{0};
    for (const hole& candidate : holes_) {
        const std::uint64_t length = candidate.end - candidate.begin;
        if (length < size) continue;
        const std::uint64_t score = is_best ? length : 0;
        if (score > least || (score == least && !is_high)) continue;
        chosen = &candidate;
        least = score;
    }
    if (chosen == nullptr) return std::nullopt;
    return is_high ? chosen->end - size : chosen->begin;
}

void free_ranges::take(std::uint64_t offset, std::uint64_t size) {
    auto at = at_or_above(offset);
    if (at == holes_.end() || at->begin != offset) --at;
    const hole below{at->begin, offset};
    const hole above{offset + size, at->end};
    at = holes_.erase(at);
    if (above.begin != above.end) at = holes_.insert(at, above);
    if (below.begin != below.end) holes_.insert(at, below);
}

void free_ranges::leave(std::uint64_t offset, std::uint64_t size) {
    hole freed{offset, offset + size};
    auto at = at_or_above(offset);
    if (at != holes_.end() && at->begin == freed.end) {
        freed.end = at->end;
        at = holes_.erase(at);
    }
    if (at != holes_.begin() && std::prev(at)->end == offset)
        std::prev(at)->end = freed.end;
    else
        holes_.insert(at, freed);
}

std::vector<free_ranges::hole>::iterator free_ranges::at_or_above(std::uint64_t offset) {
    return std::lower_bound(holes_.begin(), holes_.end(), offset,
                            [](const hole& range, std::uint64_t bound) { return range.begin < bound; });
}

}  // namespace hbm::compare
