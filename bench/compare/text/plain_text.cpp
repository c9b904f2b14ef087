#include "compare/text/plain_text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

constexpr std::size_t nowhere = std::string_view::npos;

std::size_t end_of_digits(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}

/// Removes what colours a terminal: an escape character, or how logs write it out, then `[`, numbers and a letter.
std::string without_colours(std::string line) {
    constexpr std::string_view escapes[] = {"\x1b[", "\\x1b[", "\\u001b[", "\\033[", "\\e["};
    for (const std::string_view escape : escapes)
        for (std::size_t at = line.find(escape); at != nowhere; at = line.find(escape, at)) {
            std::size_t end = line.find_first_not_of("0123456789;?", at + escape.size());
            if (end != nowhere && is_letter(line[end])) ++end;
            line.erase(at, end == nowhere ? nowhere : end - at);
        }
    return line;
}

/// Replaces `\n`, `\t` and `\r` that are written out, with any number of backslashes, and removes other backslashes.
std::string without_backslashes(const std::string& line) {
    if (line.find('\\') == nowhere) return line;
    std::string plain;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] != '\\') {
            plain += line[at];
            continue;
        }
        while (at < line.size() && line[at] == '\\') ++at;
        const char escaped = at < line.size() ? line[at] : ' ';
        if (escaped == 'n' || escaped == 'r')
            plain += '\n';
        else if (escaped == 't')
            plain += ' ';
        else
            --at;  // the character stands for itself
    }
    return plain;
}

/// Replaces entities of HTML: `&gt;`, `&#39;`, `&#x27;`.
std::string without_entities(std::string line) {
    constexpr std::pair<std::string_view, char> named[] = {{"gt", '>'},   {"lt", '<'},    {"amp", '&'},
                                                           {"quot", '"'}, {"apos", '\''}, {"nbsp", ' '}};
    for (std::size_t at = line.find('&'); at != nowhere; at = line.find('&', at + 1)) {
        const std::size_t end = line.find(';', at);
        if (end == nowhere || end - at > 8) continue;
        const std::string_view name = std::string_view(line).substr(at + 1, end - at - 1);
        char meant = '\0';
        for (const auto& [known, sign] : named)
            if (name == known) meant = sign;
        if (name.starts_with('#')) {
            unsigned code = 0;
            const bool is_hex = name.size() > 1 && name[1] == 'x';
            for (const char digit : name.substr(is_hex ? 2 : 1)) {
                const std::size_t value = std::string_view("0123456789abcdef").find(digit);
                code = value < (is_hex ? 16U : 10U) ? code * (is_hex ? 16 : 10) + static_cast<unsigned>(value) : 128;
            }
            if (code >= ' ' && code < 0x7f) meant = static_cast<char>(code);
        }
        if (meant != '\0') line.replace(at, end + 1 - at, 1, meant);
    }
    return line;
}

/// Removes signs of Markdown, and replaces typographic signs by plain ones and control characters by question marks.
std::string without_marks(const std::string& line) {
    constexpr std::pair<std::string_view, char> typographic[] = {{"\xe2\x80\x98", '\''}, {"\xe2\x80\x99", '\''},
                                                                 {"\xe2\x80\x9c", '"'},  {"\xe2\x80\x9d", '"'},
                                                                 {"\xc2\xa0", ' '},      {"\xe2\x80\xaf", ' '}};
    std::string plain;
    for (std::size_t at = 0; at < line.size();) {
        const char sign = line[at];
        const std::string_view rest = std::string_view(line).substr(at);
        if (rest.starts_with("**")) {
            at += 2;
        } else if (sign == '`' || sign == '\r') {
            ++at;
        } else if ((sign & '\x80') != 0) {
            const auto* const found = std::find_if(std::begin(typographic), std::end(typographic),
                                                   [&](const auto& each) { return rest.starts_with(each.first); });
            const bool is_known = found != std::end(typographic);
            plain += is_known ? found->second : sign;
            at += is_known ? found->first.size() : 1;
        } else {
            const bool steers = (sign >= 0 && sign < ' ' && sign != '\n' && sign != '\t') || sign == 0x7f;
            plain += steers ? '?' : sign;
            ++at;
        }
    }
    return plain;
}

/// Removes the name of a worker from the start of a line, and returns it: `[rank0]`, `(Trainer pid=7, ip=10.0.0.2)`.
std::string_view take_worker(std::string_view& line) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view rest = line.substr(begin, 120);
    const bool has_rank = rest.starts_with("[rank") || rest.starts_with("[worker") || rest.starts_with("[Rank");
    const bool may_be_process = rest.starts_with('(');
    if (!has_rank && !may_be_process) return {};
    const std::size_t end = rest.find(has_rank ? ']' : ')');
    if (end == nowhere) return {};
    const std::string_view name = rest.substr(0, end + 1);
    if (may_be_process && name.find("pid=") == nowhere) return {};
    line.remove_prefix(begin + end + 1);
    if (line.starts_with(':')) line.remove_prefix(1);
    if (line.starts_with(' ')) line.remove_prefix(1);
    return name;
}

/// Removes `> ` of a quotation and the stamp of a log: `2020-05-04 09:05:40.7: E 1578 file.cc:76] `, `E1111
/// 07:35:00.2 1404 error_handling.py:81] `, `2020-05-04T09:05:40Z `.
std::string_view without_stamp(std::string_view line) {
    constexpr std::size_t longest = 200;
    const std::size_t quoted = line.substr(0, longest).find_first_not_of("> ");
    if (quoted != nowhere && line.substr(0, quoted).find('>') != nowhere) line.remove_prefix(quoted);
    const std::string_view head = line.substr(0, longest);
    if (const std::size_t end = head.find("] "); end != nowhere)
        for (const std::string_view source : {".cc:", ".cpp:", ".h:", ".py:", ".rs:", ".go:"})
            if (head.substr(0, end).find(source) != nowhere) return line.substr(end + 2);
    const std::size_t date = std::min(head.find_first_not_of("0123456789-"), head.size());
    if (date < 8 || head.substr(0, date).find('-') == nowhere) return line;
    const std::size_t time = head.find_first_not_of("0123456789-:.,TZ+ ");
    return line.substr(std::min(time, head.size()));
}

/// Returns the end of the digits at `at`, with groups of three after `separator`.
std::size_t end_of_groups(std::string_view line, std::size_t at, char separator) {
    const std::size_t first = end_of_digits(line, at);
    if (first - at > 3) return first;
    std::size_t end = first;
    std::size_t groups = 0;
    while (end < line.size() && line[end] == separator && end_of_digits(line, end + 1) == end + 4) {
        end += 4;
        ++groups;
    }
    // Blanks stand between numbers, too: two groups are one number.
    return separator == ' ' && groups < 2 ? first : end;
}

/// Returns true if a number at `at` may have groups: not within a shape, a layout or coordinates.
bool may_have_groups(std::string_view line, std::size_t at) {
    if (at == 0) return false;
    const char before = line[at - 1];
    return std::string_view(" :='\">").find(before) != nowhere || (before == '(' && (at == 1 || line[at - 2] == ' '));
}

/// Undoes digits in groups (`1,961,653,248`, `1_961_653_248`), decimal commas (`18,25G`) and torn numbers (`250. 00
/// M`).
std::string with_whole_numbers(std::string_view line) {
    constexpr std::string_view units = "KMGTP";
    std::string plain;
    plain.reserve(line.size());
    for (std::size_t at = 0; at < line.size();) {
        const bool begins = is_digit(line[at]) && (at == 0 || !is_digit(line[at - 1]));
        if (!begins) {
            plain += line[at++];
            continue;
        }
        std::size_t end = end_of_digits(line, at);
        if (may_have_groups(line, at))
            for (const char separator : {',', '_', ' '}) end = std::max(end, end_of_groups(line, at, separator));
        for (; at < end; ++at)
            if (is_digit(line[at])) plain += line[at];
        const bool has_comma = end < line.size() && line[end] == ',';
        const bool is_torn = line.substr(end).starts_with(". ");
        if (!has_comma && !is_torn) continue;
        const std::size_t fraction = end + (is_torn ? 2 : 1);
        const std::size_t last = end_of_digits(line, fraction);
        if (last == fraction || last > fraction + 2) continue;
        const std::size_t unit = is_torn && last < line.size() && line[last] == ' ' ? last + 1 : last;
        if (unit == line.size() || units.find(line[unit]) == nowhere) continue;
        plain += '.';
        plain += line.substr(fraction, last - fraction);
        at = unit;
    }
    return plain;
}

/// Returns true if a line end broke a number: `(size=1690933` and `2480)`, or `8` and `.00M`.
bool breaks_number(std::string_view text, std::string_view next) {
    if (text.empty() || next.empty() || !is_digit(text.back())) return false;
    const std::size_t end = end_of_digits(next, 0);
    if (next[0] == '.') return next.size() > 1 && is_digit(next[1]);
    const std::size_t begin = text.find_last_not_of("0123456789");
    return end != 0 && end < next.size() && next[end] == ')' && begin != nowhere && text[begin] == '=';
}

}  // namespace

std::size_t plain_text::line_of(std::size_t at) const {
    const auto after = std::upper_bound(lines.begin(), lines.end(), at,
                                        [](std::size_t place, const line& each) { return place < each.begin; });
    return after == lines.begin() ? 1 : std::prev(after)->number;
}

plain_text plain_text_of(std::string_view original) {
    plain_text result;
    result.text.reserve(original.size());
    std::vector<std::string> workers;
    const auto add = [&](std::string_view line, std::size_t number) {
        const std::string_view name = take_worker(line);
        std::uint32_t worker = 0;
        if (!name.empty()) {
            const auto known = std::find(workers.begin(), workers.end(), name);
            worker = static_cast<std::uint32_t>(known - workers.begin()) + 1;
            if (known == workers.end()) workers.emplace_back(name);
        }
        const std::string plain = with_whole_numbers(without_stamp(line));
        if (!result.text.empty() &&
            breaks_number(std::string_view(result.text).substr(0, result.text.size() - 1), plain))
            result.text.pop_back();
        result.lines.push_back({result.text.size(), number, worker});
        (result.text += plain) += '\n';
    };
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < original.size(); ++number) {
        const std::size_t end = std::min(original.find('\n', begin), original.size());
        const std::string plain = without_marks(
            without_entities(without_backslashes(without_colours(std::string(original.substr(begin, end - begin))))));
        for (std::size_t from = 0; from <= plain.size();) {
            const std::size_t to = std::min(plain.find('\n', from), plain.size());
            add(std::string_view(plain).substr(from, to - from), number + 1);
            from = to + 1;
        }
        begin = end + 1;
    }
    return result;
}

plain_text sorted_by_worker(plain_text text) {
    std::uint32_t most = 0;
    for (const plain_text::line& each : text.lines) most = std::max(most, each.worker);
    if (most < 2) return text;
    std::vector<std::size_t> order(text.lines.size());
    for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return text.lines[a].worker < text.lines[b].worker; });
    plain_text sorted;
    for (const std::size_t at : order) {
        const std::size_t begin = text.lines[at].begin;
        const std::size_t end = at + 1 < text.lines.size() ? text.lines[at + 1].begin : text.text.size();
        sorted.lines.push_back({sorted.text.size(), text.lines[at].number, text.lines[at].worker});
        sorted.text.append(text.text, begin, end - begin);
    }
    return sorted;
}

std::string unwrapped(std::string_view text) {
    constexpr std::size_t least = 20;
    constexpr std::size_t most = 400;
    constexpr std::size_t most_bytes = std::size_t{1} << 20;  // of what is pasted from a terminal
    if (text.size() > most_bytes) return {};
    const auto for_each_line = [text](auto use) {
        for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
            end = std::min(text.find('\n', begin), text.size());
            use(text.substr(begin, end - begin));
        }
    };
    std::size_t width = 0;
    std::size_t count = 0;
    for_each_line([&](std::string_view line) {
        if (line.size() > width) count = 0;
        width = std::max(width, line.size());
        if (line.size() == width) ++count;
    });
    if (width < least || width > most || count < 2) return {};
    std::string joined;
    for_each_line([&](std::string_view line) {
        joined += line;
        if (line.size() + 1 < width) joined += '\n';
        if (line.size() + 1 == width) joined += ' ';
    });
    return joined;
}

}  // namespace hbm::imported
