#include <algorithm>
#include <array>
#include <set>

#include "compare/command_line/option_rules.hpp"
#include "compare/command_line/sweep.hpp"
#include "compare/read/csv/read.hpp"

namespace hbm::compare {

namespace {

/// The words of a sweep file: options without their dashes. Those after the first `grid` are of that grid alone.
constexpr std::array<std::string_view, 5> words_of_grids{"workload", "trace", "capacity", "quantum", "seed"};
constexpr std::array<std::string_view, 4> words_of_all{"manager", "baseline", "in-flight", "device"};

template <class Words>
bool is_one_of(const Words& all, std::string_view word) {
    return std::find(all.begin(), all.end(), word) != all.end();
}

std::string expected_words(bool in_grid) {
    std::string text = "grid";
    for (const std::string_view each : words_of_grids) (text += ", ") += each;
    if (!in_grid)
        for (const std::string_view each : words_of_all) (text += ", ") += each;
    return text;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

/// Reads a file line by line; values are read by the rules of the command line.
class sweep_reader {
public:
    explicit sweep_reader(options& into) : into_(into), common_(into) {}

    /// True if anything except comments was read.
    [[nodiscard]] bool has_words() const { return in_grid_ || !seen_.empty(); }
    /// Returns false if the line has an error; `found`, `expected` and `column` describe it.
    bool read_line(std::string_view line) {
        line = trim(line);
        const std::size_t begin = line.find_first_not_of(" \t");
        if (begin == std::string_view::npos || line[begin] == '#') return true;
        const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
        const std::string_view word = line.substr(begin, end - begin);
        const std::size_t from = line.find_first_not_of(" \t", end);
        const std::string_view value = from == std::string_view::npos ? std::string_view{} : line.substr(from);
        column = begin + 1;
        if (word == "grid") return begin_grid(value, from);
        if (!is_one_of(words_of_grids, word) && (in_grid_ || !is_one_of(words_of_all, word)))
            return fail(trace::quoted(word),
                        is_one_of(words_of_all, word) ? "it before the first grid" : expected_words(in_grid_));
        if (value.empty()) {
            column = line.size() + 1;
            return fail("nothing", "a value after " + std::string(word));
        }
        return apply(word, value, from + 1);
    }

    void finish() {
        if (!in_grid_) into_.grids.push_back(common_);
        into_.sources.clear();
        for (const options& grid : into_.grids)
            into_.sources.insert(into_.sources.end(), grid.sources.begin(), grid.sources.end());
        into_.managers = common_.managers;
        into_.baseline = common_.baseline;
        into_.in_flight = common_.in_flight;
        into_.device = common_.device;
    }

    std::size_t number = 0;  // of the line
    std::size_t column = 0;
    std::string found;
    std::string expected;

private:
    bool fail(std::string what, std::string instead) {
        found = std::move(what);
        expected = std::move(instead);
        return false;
    }

    bool begin_grid(std::string_view value, std::size_t from) {
        if (!value.empty()) {
            column = from + 1;
            return fail(trace::quoted(value), "nothing after `grid`");
        }
        in_grid_ = true;
        seen_.clear();
        into_.grids.push_back(common_);
        return true;
    }

    /// The first line of a kind replaces what came from before the grid; further lines add to it.
    bool apply(std::string_view word, std::string_view value, std::size_t where) {
        options& to = in_grid_ ? into_.grids.back() : common_;
        const bool is_source = word == "workload" || word == "trace";
        const bool is_first = seen_.insert(std::string(is_source ? "source" : word)).second;
        if (is_source && is_first) to.sources.clear();
        const option_rule* const rule = find_rule("--" + std::string(word));
        std::string_view item;
        expected = apply_rule(*rule, to, value, is_first, item);
        column = where;
        if (is_source)
            to.sources.back().place = into_.sweep + ':' + std::to_string(number) + ':' + std::to_string(where);
        if (expected.empty()) return true;
        column += static_cast<std::size_t>(item.data() - value.data());
        return fail(item.empty() ? "nothing" : trace::quoted(item), expected);
    }

    options& into_;
    options common_;  // what stands before the first grid
    bool in_grid_ = false;
    std::set<std::string> seen_;  // since the beginning, or the last `grid`
};

}  // namespace

std::string read_sweep(options& into) {
    std::vector<char> bytes;
    trace::read_error error;
    if (!trace::read_bytes(into.sweep, bytes, error)) {
        error.expected = "the path of a file that describes a sweep";
        return error.message();
    }
    const std::string_view text(bytes.data(), bytes.size());
    sweep_reader reader(into);
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        ++reader.number;
        if (!reader.read_line(text.substr(from, end - from)))
            return trace::read_error{into.sweep, reader.number, reader.column, reader.found, reader.expected}.message();
        from = end + 1;
    }
    if (!reader.has_words())
        return trace::read_error{into.sweep, 1, 1, "no line that says anything", expected_words(false)}.message();
    reader.finish();
    for (const options& grid : into.grids)
        if (const std::string problem = find_tiny_capacity(grid); !problem.empty()) return into.sweep + ": " + problem;
    return {};
}

}  // namespace hbm::compare
