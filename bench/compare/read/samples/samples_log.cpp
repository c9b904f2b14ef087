#include "compare/read/samples/samples_log.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "compare/read/samples/printed_samples.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

std::string samples_in_log(std::string_view text) {
    std::vector<sample> match;
    std::size_t lines = 0;
    bool has_steps = true;
    bool has_devices = false;
    bool is_printed = false;  // true if the form alone shows what it is
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
        end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        std::vector<sample> part =
            line.find(keys[0]) != std::string_view::npos ? samples_in(line) : std::vector<sample>{};
        if (part.empty()) {
            part = printed_samples_in(line);
            is_printed = is_printed || !part.empty();
        }
        if (part.empty()) continue;
        ++lines;
        has_steps = has_steps && part.front().step.has_value();
        has_devices = has_devices || part.size() > 1 || !part.front().device.empty();
        for (sample& entry : part) match.push_back(std::move(entry));
    }
    if (lines == 0 || (!is_printed && lines < fewest_log_samples)) return {};
    std::string csv = has_steps ? "step," : "";
    if (has_devices) csv += "device,";
    for (const std::string_view key : keys) (csv += key == keys[0] ? "" : ",") += key;
    for (const sample& entry : match) {
        csv += '\n';
        if (has_steps) csv += trace::decimal(*entry.step) + ",";
        if (has_devices) csv += '"' + entry.device + "\",";
        for (std::size_t which = 0; which < keys.size(); ++which) {
            if (which != 0) csv += ',';
            if (entry.values[which]) csv += trace::decimal(*entry.values[which]);
        }
    }
    return csv += '\n';
}

namespace {

/// Longer lines are not taken apart.
constexpr std::size_t longest_line_of_devices = std::size_t{1} << 20U;

/// Statistics within statistics beyond this are none: each level is searched on its own.
constexpr std::size_t deepest_statistics = 64;

/// Returns the number at the beginning of `text`, after blanks and the signs in `between`; empty if there is none.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view between) {
    const std::size_t first = text.find_first_not_of(between);
    if (first == std::string_view::npos) return std::nullopt;
    text.remove_prefix(first);
    std::uint64_t number = 0;
    if (!trace::parse_number(text.substr(0, text.find_first_not_of("0123456789")), number)) return std::nullopt;
    return number;
}

/// Returns the offset of a key in quotes, those of Python or of JSON, from `from` on; or else npos.
std::size_t find_key(std::string_view line, std::string_view key, std::size_t from) {
    for (std::size_t at = line.find(key, from); at != std::string_view::npos; at = line.find(key, at + 1)) {
        const std::size_t end = at + key.size();
        if (at == 0 || end == line.size() || line[at - 1] != line[end]) continue;
        if (line[end] == '\'' || line[end] == '"') return at;
    }
    return std::string_view::npos;
}

/// Returns the number that a key in quotes has in `line`.
std::optional<std::uint64_t> value_of(std::string_view line, std::string_view key) {
    const std::size_t at = find_key(line, key, 0);
    if (at == std::string_view::npos) return std::nullopt;
    return number_after(line.substr(at + key.size() + 1), ": ");
}

/// Returns the number after the word `step`, as in `step 7`, `Step: 7`, `step=7` or `"step": 7`.
std::optional<std::uint64_t> step_in(std::string_view line) {
    const std::size_t at = line.find("tep");
    if (at == 0 || at == std::string_view::npos || (line[at - 1] != 's' && line[at - 1] != 'S')) return std::nullopt;
    return number_after(line.substr(at + 3), "'\":= ");
}

/// Reads the statistics of a device; empty if they have no bytes in use.
std::optional<sample> sample_in(std::string_view text) {
    sample match;
    for (std::size_t which = 0; which < keys.size(); ++which) {
        match.values[which] = value_of(text, keys[which]);
        if (which == 0 && !match.values[which]) return std::nullopt;
    }
    return match;
}

/// Returns the name that a key of a dictionary gives a device, without quotation marks. Empty if `item`, the text
/// before the statistics, is not a key.
std::string name_in(std::string_view item) {
    constexpr std::string_view around = " \t'\"";
    item = item.substr(0, item.find_last_not_of(" \t") + 1);
    if (!item.ends_with(':')) return {};
    item.remove_suffix(1);
    item = item.substr(std::min(item.find_first_not_of(around), item.size()));
    std::string name(item.substr(0, item.find_last_not_of(around) + 1));
    std::erase(name, '"');
    return name;
}

/// Parser of a line by its brackets: each pair of braces that directly holds bytes in use is a device. Its name is its
/// key in the dictionary around it, or else its place in the list, from 0. Used once for a line.
class devices_of_line {
public:
    explicit devices_of_line(std::string_view line) : line_(line), next_(find_key(line, keys[0], 0)) {}

    /// Returns the samples of the line, none if they are too deep. Cost: O(length of the line).
    std::vector<sample> read() {
        for (std::size_t at = 0; at < line_.size(); ++at) {
            if (at == next_) note_key();
            if (statistics_ > deepest_statistics) return {};
            const char sign = line_[at];
            if (sign == '{' || sign == '[' || sign == '(')
                open_.push_back({sign, at, 0, at + 1});
            else if (sign == ',' && !open_.empty())
                open_.back().begin_item(at + 1);
            else if (!open_.empty() && sign == closing(open_.back().sign))
                close(at + 1);
        }
        while (!open_.empty()) close(line_.size());
        return std::move(found_);
    }

private:
    /// An open bracket.
    struct bracket {
        char sign = '{';
        std::size_t begin = 0;
        std::size_t items = 0;  ///< number of items before the present one
        std::size_t item = 0;   ///< start of the present item
        bool holds = false;     ///< true if the key of bytes in use stands directly in it

        void begin_item(std::size_t at) noexcept {
            ++items;
            item = at;
        }
    };

    [[nodiscard]] static constexpr char closing(char sign) noexcept {
        return sign == '{' ? '}' : sign == '[' ? ']' : ')';
    }
    void note_key() {
        if (!open_.empty() && open_.back().sign == '{' && !std::exchange(open_.back().holds, true)) ++statistics_;
        next_ = find_key(line_, keys[0], next_ + 1);
    }
    void close(std::size_t end) {
        const bracket closed = open_.back();
        open_.pop_back();
        if (!closed.holds) return;
        --statistics_;
        std::optional<sample> result = sample_in(line_.substr(closed.begin, end - closed.begin));
        if (!result) return;
        result->device = unlike_others(name_of(closed));
        found_.push_back(std::move(*result));
    }
    [[nodiscard]] std::string name_of(const bracket& subject) const {
        if (open_.empty()) return trace::decimal(found_.size());
        const bracket& around = open_.back();
        std::string name;
        if (around.sign == '{') name = name_in(line_.substr(around.item, subject.begin - around.item));
        return name.empty() ? trace::decimal(around.items) : name;
    }
    /// Returns the name, with a number if another device of the line has it.
    [[nodiscard]] std::string unlike_others(const std::string& name) {
        const std::size_t count = ++names_[name];
        return count == 1 ? name : name + " (" + trace::decimal(count) + ")";
    }

    std::string_view line_;
    std::size_t next_;  // the next key of bytes in use
    std::vector<bracket> open_;
    std::size_t statistics_ = 0;  // open brackets that hold the key
    std::map<std::string, std::size_t> names_;
    std::vector<sample> found_;
};

}  // namespace

std::vector<sample> samples_in(std::string_view line) {
    std::vector<sample> match;
    const std::size_t first = find_key(line, keys[0], 0);
    const bool is_several = first != std::string_view::npos && line.size() <= longest_line_of_devices &&
                            find_key(line, keys[0], first + 1) != std::string_view::npos;
    if (is_several) match = devices_of_line(line).read();
    if (match.size() < 2) {
        match.clear();
        if (const std::optional<sample> only = sample_in(line)) match.push_back(*only);
    }
    const std::optional<std::uint64_t> step = step_in(line);
    for (sample& entry : match) entry.step = step;
    return match;
}

}  // namespace hbm::imported
