#include "compare/command_line/sweep.hpp"

#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "compare/command_line/option_rules.hpp"
#include "compare/command_line/texts.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// A source with a value for each of its parameters.
struct chosen_source {
    sweep_point::kind what = sweep_point::kind::file;
    std::string place;
    chosen_workload load;
};

std::string choose_sources(const options& grid, std::vector<chosen_source>& target) {
    using kind = sweep_point::kind;
    if (!grid.programs.empty()) target.push_back({kind::programs, "--program", {}});
    std::vector<source> sources = grid.sources;
    if (target.empty() && sources.empty()) {
        for (const std::string_view name : recorded_workloads())
            target.push_back({kind::recorded, {}, {std::string(name), {}}});
        for (const std::string_view name : generated_workloads()) sources.push_back({std::string(name), true, {}});
    }
    for (const source& input : sources) {
        const std::string place = input.place.empty() ? "--workload" : input.place;
        if (!input.is_generated) {
            target.push_back({kind::file, place, {input.text, {}}});
            continue;
        }
        std::vector<chosen_workload> chosen;
        if (const std::string problem = choose_values(input.text, chosen); !problem.empty())
            return filled(texts::problem_at, {{"place", place}, {"problem", problem}});
        for (chosen_workload& load : chosen) target.push_back({kind::generated, place, std::move(load)});
    }
    return {};
}

/// Axes of the sweep that have several values.
struct axes {
    bool has_seeds = false;
    bool has_capacities = false;
    std::vector<std::string> parameters;

    void add(const options& grid, const std::vector<chosen_source>& sources) {
        has_seeds = has_seeds || grid.seeds.size() > 1;
        has_capacities = has_capacities || grid.capacities.size() > 1;
        for (const chosen_source& each : sources)
            for (const auto& [key, value] : each.load.swept)
                if (std::find(parameters.begin(), parameters.end(), key) == parameters.end()) parameters.push_back(key);
    }

    void describe(sweep_point& point, const chosen_source& from) const {
        for (const std::string& key : parameters) {
            axis_value& each = point.swept.emplace_back(axis_value{"parameter_" + key, {}, true});
            for (const auto& [known, value] : from.load.swept)
                if (known == key) each.value = value;
        }
        if (has_capacities)
            point.swept.push_back({"capacity_asked",
                                   point.capacity.text.empty() ? std::nullopt : std::optional(point.capacity.text),
                                   true});
        if (has_seeds)
            point.swept.push_back(
                {"seed",
                 point.what == sweep_point::kind::generated ? std::optional(std::to_string(point.seed)) : std::nullopt,
                 false});
    }
};

/// List of points, each of them once.
class point_list {
public:
    point_list(std::vector<sweep_point>& into, std::vector<std::string>& warnings) : into_(into), warnings_(warnings) {}

    [[nodiscard]] bool is_full() const { return into_.size() > max_values; }

    void add(sweep_point&& each) {
        const capacity_choice& capacity = each.capacity;
        if (!known_
                 .emplace(each.what, each.text, capacity.what, capacity.device.name, capacity.device.capacity,
                          each.quantum, each.seed)
                 .second) {
            if (told_.insert(each.text).second)
                warnings_.push_back(
                    filled(texts::repeated_source, {{"source", each.text.empty() ? each.place : each.text}}));
            return;
        }
        into_.push_back(std::move(each));
    }

private:
    std::vector<sweep_point>& into_;
    std::vector<std::string>& warnings_;
    std::set<std::tuple<sweep_point::kind, std::string, capacity_choice::kind, std::string, std::uint64_t,
                        std::uint64_t, std::uint64_t>>
        known_;
    std::set<std::string> told_;
};

/// Removes repeated values from the list of an option, by a key of its values, with a warning.
/// Cost: O(values log values).
template <class Value, class Key, class Words>
void keep_once(std::vector<Value>& all, const char* option, std::vector<std::string>& warnings, Key key, Words words) {
    std::set<decltype(key(all.front()))> known;
    std::set<std::string> told;
    std::vector<Value> kept;
    for (Value& entry : all) {
        if (known.insert(key(entry)).second)
            kept.push_back(std::move(entry));
        else if (const std::string text = words(entry); told.insert(text).second)
            warnings.push_back(filled(texts::repeated_value, {{"option", option}, {"value", text}}));
    }
    all = std::move(kept);
}

void keep_once(options& grid, std::vector<std::string>& warnings) {
    const auto itself = [](std::uint64_t value) { return value; };
    const auto as_number = [](std::uint64_t value) { return std::to_string(value); };
    keep_once(
        grid.capacities, "--capacity", warnings,
        [](const capacity_choice& choice) {
            return std::tuple(choice.what, std::string(choice.device.name), choice.device.capacity);
        },
        [](const capacity_choice& choice) { return choice.text; });
    keep_once(grid.quanta, "--quantum", warnings, itself, as_number);
    keep_once(grid.seeds, "--seed", warnings, itself, as_number);
}

}  // namespace

std::string all_points(const options& settings, std::vector<sweep_point>& target, std::vector<std::string>& warnings) {
    std::vector<options> grids = settings.grids.empty() ? std::vector<options>{settings} : settings.grids;
    for (options& entry : grids) keep_once(entry, warnings);
    std::vector<std::vector<chosen_source>> sources(grids.size());
    axes several;
    for (std::size_t at = 0; at < grids.size(); ++at) {
        if (std::string problem = choose_sources(grids[at], sources[at]); !problem.empty()) return problem;
        several.add(grids[at], sources[at]);
    }
    point_list points(target, warnings);
    for (std::size_t at = 0; at < grids.size(); ++at)
        for (const chosen_source& from : sources[at])
            for (const std::uint64_t quantum : grids[at].quanta)
                for (const capacity_choice& capacity : grids[at].capacities)
                    for (const std::uint64_t seed : grids[at].seeds) {
                        sweep_point entry{from.what, from.load.text, from.place, capacity, quantum, 0, {}};
                        if (from.what == sweep_point::kind::generated) entry.seed = seed;
                        several.describe(entry, from);
                        points.add(std::move(entry));
                        if (points.is_full()) return filled(texts::too_many_points, {{"most", max_values}});
                        if (from.what != sweep_point::kind::generated) break;
                    }
    return {};
}

namespace {

/// Splits `200|1..5|4MiB` into values. A value that is not a range stays as it is, for the generator to check.
bool split_values(std::string_view text, std::vector<std::string>& target) {
    for (std::size_t from = 0;;) {
        const std::size_t bar = text.find('|', from);
        const std::string_view entry = text.substr(from, bar == std::string_view::npos ? bar : bar - from);
        if (entry.find("..") == std::string_view::npos) {
            target.emplace_back(entry);
        } else {
            std::vector<std::uint64_t> numbers;
            if (!read_range(entry, numbers)) return false;
            if (target.size() + numbers.size() > max_values) return false;
            for (const std::uint64_t number : numbers) target.push_back(std::to_string(number));
        }
        if (bar == std::string_view::npos) return true;
        from = bar + 1;
    }
}

}  // namespace

bool read_range(std::string_view text, std::vector<std::uint64_t>& target) {
    const std::size_t dots = text.find("..");
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (target.size() >= max_values || !trace::parse_number(text.substr(0, dots), first)) return false;
    if (dots == std::string_view::npos) {
        target.push_back(first);
        return true;
    }
    if (!trace::parse_number(text.substr(dots + 2), last) || last < first || last - first >= max_values - target.size())
        return false;
    for (std::uint64_t count = last - first + 1; count != 0; --count) target.push_back(first++);
    return true;
}

std::string choose_values(std::string_view text, std::vector<chosen_workload>& target) {
    const std::size_t colon = text.find(':');
    std::vector<chosen_workload> result{{std::string(text.substr(0, colon)), {}}};
    if (colon == std::string_view::npos) {
        target.push_back(std::move(result.front()));
        return {};
    }
    char before = ':';
    for (std::size_t from = colon + 1; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string_view part = text.substr(from, comma - from);
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals);
        std::vector<std::string> values;
        if (equals != std::string_view::npos && !split_values(part.substr(equals + 1), values))
            return filled(texts::no_values, {{"found", trace::quoted(part)}, {"key", std::string(key)}});
        if (target.size() + result.size() * std::max<std::size_t>(values.size(), 1) > max_values)
            return filled(texts::too_many_values, {{"most", max_values}});
        std::vector<chosen_workload> longer;
        for (const chosen_workload& entry : result) {
            if (values.empty()) longer.push_back({entry.text + before + std::string(part), entry.swept});
            for (const std::string& value : values) {
                longer.push_back({entry.text + before + std::string(key) + '=' + value, entry.swept});
                if (values.size() > 1) longer.back().swept.emplace_back(key, value);
            }
        }
        result = std::move(longer);
        before = ',';
        from = comma + 1;
    }
    target.insert(target.end(), result.begin(), result.end());
    return {};
}

namespace {

/// The words of a sweep file: options without their dashes. Those after the first `grid` are of that grid alone.
constexpr std::array<std::string_view, 5> words_of_grids{"workload", "trace", "capacity", "quantum", "seed"};
constexpr std::array<std::string_view, 4> words_of_all{"manager", "baseline", "in-flight", "device"};

template <class Words>
bool is_one_of(const Words& all, std::string_view word) {
    return std::find(all.begin(), all.end(), word) != all.end();
}

std::string expected_options(bool in_grid) {
    std::string text = "grid";
    for (const std::string_view entry : words_of_grids) append_item(text, entry);
    if (!in_grid)
        for (const std::string_view entry : words_of_all) append_item(text, entry);
    return text;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

/// Reader of a sweep's file, line by line; values follow the rules of the command line.
class sweep_reader {
public:
    explicit sweep_reader(options& into) : into_(into), common_(into) {}

    /// Returns true if anything except comments was read.
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
                        is_one_of(words_of_all, word) ? "that line before the first grid" : expected_options(in_grid_));
        if (value.empty()) {
            column = line.size() + 1;
            return fail("nothing", filled("a value after {word}", {{"word", std::string(word)}}));
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

    std::size_t number = 0;  // number of the line
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
        if ((into_.grids.size() + 1) * std::max<std::size_t>(common_.seeds.size(), 1) > max_values) {
            column = 1;
            return fail("another grid", "at most " + trace::decimal(max_values) + " seeds in all grids");
        }
        in_grid_ = true;
        seen_.clear();
        into_.grids.push_back(common_);
        return true;
    }

    /// Applies a line. The first line of a kind replaces values from before the grid; further lines add to it.
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
    options common_;  // options before the first grid
    bool in_grid_ = false;
    std::set<std::string> seen_;  // words since the beginning, or the last `grid`
};

}  // namespace

std::string read_sweep(options& settings) {
    std::vector<char> bytes;
    trace::read_error error;
    if (!trace::read_bytes(settings.sweep, bytes, error)) return error.message();
    const std::string_view text(bytes.data(), bytes.size());
    sweep_reader reader(settings);
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        ++reader.number;
        if (!reader.read_line(text.substr(from, end - from)))
            return trace::read_error{settings.sweep, reader.number, reader.column, reader.found, reader.expected}
                .message();
        from = end + 1;
    }
    if (!reader.has_words())
        return trace::read_error{settings.sweep, 1, 1, "no line with an option", expected_options(false)}.message();
    reader.finish();
    for (const options& grid : settings.grids)
        if (const std::string problem = find_tiny_capacity(grid); !problem.empty())
            return filled(texts::problem_at, {{"place", settings.sweep}, {"problem", problem}});
    return {};
}

}  // namespace hbm::compare
