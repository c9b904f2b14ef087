#include "compare/sweeps/gate.hpp"

#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compare/sweeps/texts.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Keys that identify a row; all others are figures. A file without the last two, of --format json, is compared too.
/// Each stands in the name of the row in its own way.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> row_keys{
    {{"workload", "{value}"},
     {"manager", " under {value}"},
     {"quantum_bytes", ", quantum_bytes {value}"},
     {"capacity_asked", ", capacity_asked {value}"},
     {"seed", ", seed {value}"}}};

bool is_row_key(std::string_view key) {
    return std::any_of(row_keys.begin(), row_keys.end(), [&](const auto& entry) { return entry.first == key; });
}

/// Figures of which less is better. Properties of a workload are not in it: the need of its packing, and fate. Figures
/// that follow from these and others are not either.
constexpr std::array<std::string_view, 17> less_is_better{"peak_live_bytes",
                                                          "footprint_bytes",
                                                          "overhead_ratio",
                                                          "min_capacity_bytes",
                                                          "fragmentation_mean",
                                                          "fragmentation_worst",
                                                          "oom_with_enough_free",
                                                          "relieved",
                                                          "evictions",
                                                          "evicted_bytes",
                                                          "reloads",
                                                          "reload_us",
                                                          "moves",
                                                          "moved_bytes",
                                                          "move_us",
                                                          "unlimited_footprint_bytes",
                                                          "needs_median_bytes"};

/// Figures that follow from the need of a manager: luck, if the ranges of needs show it.
constexpr std::array<std::string_view, 5> of_need{"footprint_bytes", "overhead_ratio", "min_capacity_bytes",
                                                  "unlimited_footprint_bytes", "needs_median_bytes"};

/// Figures that only describe the range of needs.
constexpr std::array<std::string_view, 3> of_range{"needs_least_bytes", "needs_most_bytes", "needs_workloads"};

/// Figures of which more is better.
constexpr std::array<std::string_view, 3> more_is_better{"failed_event", "donations_taken", "donated_bytes"};

template <class Keys>
bool has(const Keys& all, std::string_view key) {
    return std::find(all.begin(), all.end(), key) != all.end();
}

/// Returns true for a figure of --offline or a small table, or of variants, that only one of the two runs has: it did
/// not change.
bool is_unasked(const field& was, const field& is) {
    constexpr std::array<std::string_view, 5> yardsticks{"offline_bytes", "offline_bound_bytes", "fate_bytes",
                                                         "not_knowing_bytes", "needs_median_bytes"};
    return has(yardsticks, is.key) && (!was.value || !is.value);
}

/// Returns true for times of the host.
bool is_time(std::string_view key) {
    return key.starts_with("ns_");
}

const field* find(const record& row, std::string_view key) {
    const auto match = std::find_if(row.begin(), row.end(), [&](const field& entry) { return entry.key == key; });
    return match == row.end() ? nullptr : &*match;
}

std::string value_of(const field& entry) {
    return entry.value ? *entry.value : "null";
}

/// `t.csv under best_fit, seed 3`, by those keys that the earlier file has.
std::string name_of(const record& row, const record& keys) {
    std::string result;
    for (const auto& [key, text] : row_keys) {
        const field* const entry = find(row, key);
        if (entry == nullptr || !entry->value || find(keys, key) == nullptr) continue;
        result += filled(text, {{"value", *entry->value}});
    }
    return result;
}

/// A number of the result: a whole part and at most six decimals.
struct exact {
    std::uint64_t whole = 0;
    std::uint64_t millionths = 0;

    friend auto operator<=>(const exact&, const exact&) = default;
};

bool read_exact(std::string_view text, exact& target) {
    const std::size_t point = text.find('.');
    if (!trace::parse_number(text.substr(0, point), target.whole)) return false;
    if (point == std::string_view::npos) return true;
    std::string decimals(text.substr(point + 1));
    if (decimals.size() > 6) return false;
    decimals.resize(6, '0');  // other programs drop zeros
    return trace::parse_number(decimals, target.millionths);
}

exact difference(const exact& more, const exact& less) {
    const bool borrows = more.millionths < less.millionths;
    return {more.whole - less.whole - (borrows ? 1 : 0), more.millionths + (borrows ? 1'000'000 : 0) - less.millionths};
}

std::string digits_of(const exact& value, bool has_decimals) {
    const std::string whole = std::to_string(value.whole);
    if (!has_decimals) return whole;
    const std::string digits = std::to_string(value.millionths);
    return whole + '.' + std::string(6 - digits.size(), '0') + digits;
}

/// ` (200 more, 20.0 %)`
std::string change_of(const exact& now, const exact& before, bool has_decimals) {
    const bool grew = before < now;
    const exact change = grew ? difference(now, before) : difference(before, now);
    constexpr std::uint64_t largest = ~std::uint64_t{0} / 1'000'000;
    const bool is_fine = before.whole < 1'000'000 && change.whole < largest / 1'000'000;
    const std::uint64_t whole = is_fine ? before.whole * 1'000'000 + before.millionths : before.whole;
    const std::uint64_t part = is_fine ? change.whole * 1'000'000 + change.millionths : change.whole;
    const bool has_percent = whole != 0 && part < largest;
    const std::uint64_t thousandths = has_percent ? part * 1000 / whole : 0;
    return filled(has_percent ? texts::difference_in_percent[grew] : texts::difference[grew],
                  {{"difference", digits_of(change, has_decimals)},
                   {"percent", std::to_string(thousandths / 10) + '.' + std::to_string(thousandths % 10)}});
}

/// Comparison of the figures of a row.
class row_judge {
public:
    row_judge(verdict& into, std::string name) : into_(into), name_(std::move(name)) {}

    /// Compares two rows. Returns false if a numeric figure is not a number in the earlier row.
    bool judge(const record& before, const record& now) {
        const field* const completed = find(before, "completed");
        const field* const completes = find(now, "completed");
        if (completed != nullptr && completed->value != completes->value) {
            const bool is_worse = completes->value == "false";
            add(is_worse, !is_worse,
                filled(is_worse ? texts::no_longer_completes : texts::completes_now,
                       {{"row", name_}, {"error", value_of(*find(now, "error"))}}));
            return true;  // other figures are of other rows of the trace
        }
        const field* const failed = find(before, "failed_event");
        const bool same_rows = failed == nullptr || failed->value == find(now, "failed_event")->value;
        const std::optional<luck> needed = read_luck(before);
        const std::optional<luck> needs = read_luck(now);
        is_equal_within_luck_ = needed && needs && are_equal_within_luck(*needed, *needs);
        for (const field& is : now) {
            if (is_time(is.key) || is_row_key(is.key) || has(of_range, is.key)) continue;
            const field* const was = find(before, is.key);
            if (was == nullptr || was->value == is.value || (!same_rows && is.key != "failed_event")) continue;
            if (!is_unasked(*was, is) && !judge(*was, is)) return false;
        }
        return true;
    }

private:
    bool judge(const field& was, const field& is) {
        const bool falls = has(less_is_better, is.key);
        const bool rises = has(more_is_better, is.key);
        std::string sentence =
            filled(texts::changed_figure,
                   {{"row", name_}, {"figure", is.key}, {"now", value_of(is)}, {"before", value_of(was)}});
        if (!falls && !rises) {
            add(false, false, sentence);
        } else if (!was.value || !is.value) {
            add(!is.value, false, sentence);  // a missing figure can hide a regression
        } else {
            exact before;
            exact now;
            if (!read_exact(*was.value, before) || !read_exact(*is.value, now)) return false;
            if (before == now) return true;  // `1.25` is 1.250000: other programs drop zeros
            const bool is_worse = falls ? before < now : now < before;
            const bool is_luck = is_equal_within_luck_ && has(of_need, is.key);
            sentence += change_of(now, before, is.value->find('.') != std::string::npos);
            if (is_luck) sentence += texts::equal_within_luck;
            add(is_worse && !is_luck, !is_worse && !is_luck, sentence);
        }
        return true;
    }

    void add(bool is_worse, bool is_better, const std::string& sentence) {
        (is_worse ? into_.worse : is_better ? into_.better : into_.changed).push_back(sentence);
    }

    verdict& into_;
    std::string name_;
    bool is_equal_within_luck_ = false;  ///< true if the needs of the two rows differ by luck alone
};

/// Keys of a row that options set, and those options.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> asked_with{
    {{"workload", "workload"}, {"capacity_asked", "--capacity"}, {"quantum_bytes", "--quantum"}, {"seed", "--seed"}}};

/// Returns the values of the rows under a key, an empty one for null; none if no row has the key.
std::set<std::string> values_of(const std::vector<record>& rows, std::string_view key) {
    std::set<std::string> result;
    for (const record& row : rows)
        if (const field* const entry = find(row, key); entry != nullptr) result.insert(entry->value.value_or(""));
    return result;
}

/// Returns `with --capacity 8GiB, 9GiB`, or `without --capacity`.
std::string option_with_values(std::string_view option, const std::set<std::string>& values) {
    std::string list;
    for (const std::string& value : values)
        if (!value.empty()) append_item(list, value);
    return filled(list.empty() ? texts::without_option : texts::with_option,
                  {{"option", std::string(option)}, {"values", list}});
}

/// Returns an error message if an option differs between all rows of this run and all earlier rows, else an empty text.
std::string asked_otherwise(const stored_result& before, const std::vector<record>& now) {
    for (const auto& [key, option] : asked_with) {
        const std::set<std::string> was = values_of(before.rows, key);
        const std::set<std::string> is = values_of(now, key);
        const bool meets =
            std::any_of(was.begin(), was.end(), [&](const std::string& entry) { return is.contains(entry); });
        if (was.empty() || is.empty() || meets) continue;
        return filled(texts::other_options, {{"file", before.file},
                                             {"before", option_with_values(option, was)},
                                             {"now", option_with_values(option, is)}});
    }
    return {};
}

/// Records with a place for every figure but the times, which are null.
std::vector<record> steady_records(const std::vector<comparison>& compared, const selection& chosen) {
    std::vector<record> rows = all_records(compared, chosen, axis_keys::all);
    for (record& row : rows)
        for (field& entry : row)
            if (is_time(entry.key)) entry.value.reset();
    return rows;
}

}  // namespace

std::vector<std::string> verdict_lines(const verdict& result, bool quiet) {
    std::vector<std::string> lines;
    const auto add = [&](std::string_view text, const std::vector<std::string>& rows) {
        for (const std::string& row : rows) lines.push_back(filled(text, {{"row", row}}));
    };
    add(texts::worse, result.worse);
    if (!quiet) {
        add(texts::better, result.better);
        add(texts::changed, result.changed);
    }
    if (!result.worse.empty()) lines.push_back(filled(texts::found_worse, {{"count", result.worse.size()}}));
    return lines;
}

std::string saved_result(const std::vector<comparison>& all, const selection& chosen) {
    return json_text(steady_records(all, chosen));
}

std::string compare_figures(const stored_result& before, const std::vector<comparison>& all, const selection& chosen,
                            verdict& result) {
    const std::vector<record> now = steady_records(all, chosen);
    const auto fail = [&](std::size_t row, const std::string& content, const std::string& expected) {
        return imported::error_at(before.text, before.offsets[row], before.file, content, expected).message();
    };
    std::map<std::string, std::size_t> known;
    for (std::size_t at = 0; at < before.rows.size(); ++at) {
        const std::string name = name_of(before.rows[at], before.rows.front());
        if (find(before.rows[at], "workload") == nullptr || find(before.rows[at], "manager") == nullptr)
            return fail(at, "a row without workload and manager", "a row of hbm_compare");
        if (!known.emplace(name, at).second)
            return fail(at, filled(texts::repeated_row, {{"row", name}}), "a file that --save wrote");
    }
    if (std::string problem = asked_otherwise(before, now); !problem.empty()) return problem;
    std::vector<bool> met(before.rows.size());
    for (const record& row : now) {
        const std::string name = before.rows.empty() ? name_of(row, row) : name_of(row, before.rows.front());
        const auto place = known.find(name);
        if (place == known.end()) {
            result.changed.push_back(filled(texts::new_row, {{"row", name}}));
            continue;
        }
        met[place->second] = true;
        if (!row_judge(result, name).judge(before.rows[place->second], row))
            return fail(place->second, "a figure that is not a number", filled(texts::saved_row, {{"row", name}}));
    }
    for (const auto& [name, at] : known)
        if (!met[at]) result.worse.push_back(filled(texts::missing_row, {{"row", name}}));
    return {};
}

}  // namespace hbm::compare
