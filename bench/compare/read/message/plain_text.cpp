#include "compare/read/message/plain_text.hpp"

namespace hbm::imported {

namespace {

constexpr bool is_digit(char each) noexcept {
    return each >= '0' && each <= '9';
}

/// The length of what a log writes before the text of a line: `2020-05-04 09:05:40.7: E 1578 file.cc:76] `,
/// `E1111 07:35:00.2 1404 error_handling.py:81] `, `2020-05-04T09:05:40Z `, and `> ` of a quotation. 0 without.
std::size_t stamp_length(std::string_view line) noexcept {
    constexpr std::size_t longest = 200;
    std::size_t quoted = 0;
    while (quoted < line.size() && quoted < longest && (line[quoted] == '>' || line[quoted] == ' ')) ++quoted;
    if (line.substr(0, quoted).find('>') == std::string_view::npos) quoted = 0;
    const std::string_view rest = line.substr(quoted, longest);
    if (const std::size_t end = rest.find("] "); end != std::string_view::npos) {
        const std::string_view stamp = rest.substr(0, end);
        for (const std::string_view source : {".cc:", ".cpp:", ".h:", ".py:", ".rs:", ".go:"})
            if (stamp.find(source) != std::string_view::npos) return quoted + end + 2;
    }
    std::size_t at = 0;
    while (at < rest.size() && (is_digit(rest[at]) || rest[at] == '-')) ++at;
    if (at < 8 || rest.substr(0, at).find('-') == std::string_view::npos) return quoted;  // no date
    constexpr std::string_view of_time = "0123456789-:.,TZ+ ";
    while (at < rest.size() && of_time.find(rest[at]) != std::string_view::npos) ++at;
    return quoted + at;
}

}  // namespace

void add_plain_text(plain_text& into, std::string_view original, std::size_t begin, std::size_t end,
                    bool at_line_begin) {
    const auto add = [&](char byte, std::size_t from) {
        // What would steer a terminal is not passed on.
        const bool steers = (byte >= 0 && byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f;
        into.text += steers ? '?' : byte;
        into.origins.push_back(static_cast<std::uint32_t>(from));
    };
    constexpr std::string_view named[] = {"&gt;", "&lt;", "&amp;", "&quot;", "&#39;", "&nbsp;"};
    constexpr std::string_view meant = "><&\"' ";
    for (std::size_t at = begin; at < end;) {
        if (at_line_begin) {
            const std::size_t skipped = stamp_length(original.substr(at, end - at));
            at_line_begin = false;
            if (skipped != 0) {
                at += skipped;
                continue;
            }
        }
        const char byte = original[at];
        if (byte == '\\') {
            std::size_t after = at + 1;
            while (after < end && original[after] == '\\') ++after;
            const char escaped = after < end ? original[after] : ' ';
            const bool is_space = escaped == 'n' || escaped == 't' || escaped == 'r';
            if (is_space) add(escaped == 't' ? ' ' : '\n', at);
            at_line_begin = escaped == 'n';
            at = is_space ? after + 1 : after;
        } else if (byte == '*' && at + 1 < end && original[at + 1] == '*') {
            at += 2;
        } else if (byte == '`' || byte == '\r') {
            ++at;
        } else if (byte == '&') {
            std::size_t which = 0;
            while (which < meant.size() && original.substr(at, named[which].size()) != named[which]) ++which;
            add(which == meant.size() ? byte : meant[which], at);
            at += which == meant.size() ? 1 : named[which].size();
        } else {
            add(byte, at++);
            at_line_begin = byte == '\n';
        }
    }
}

}  // namespace hbm::imported
