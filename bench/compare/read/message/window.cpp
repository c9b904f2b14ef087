#include "compare/read/message/window.hpp"

#include <algorithm>

#include "compare/text/text.hpp"

namespace hbm::imported {

bool window::is_space(char letter) noexcept {
    return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\v' || letter == '\f';
}

std::size_t window::end_of(std::string_view words, std::size_t at) const noexcept {
    for (const char letter : words) {
        if (letter == ' ') {
            if (at >= text_.size() || !is_space(text_[at])) return nowhere;
            at = after_spaces(at);
        } else {
            if (at >= text_.size() || text_[at] != letter) return nowhere;
            ++at;
        }
    }
    return at;
}

std::size_t window::find(std::string_view words, std::size_t from) const noexcept {
    if (words.starts_with(' ')) return find_after_space(words.substr(1), from);
    const std::string_view first = words.substr(0, words.find(' '));
    for (std::size_t at = text_.find(first, from); at != nowhere; at = text_.find(first, at + 1))
        if (const std::size_t end = end_of(words, at); end != nowhere) return end;
    return nowhere;
}

std::size_t window::find_word(std::string_view word, std::size_t from) const noexcept {
    for (std::size_t end = find(word, from); end != nowhere; end = find(word, end)) {
        const bool begins = end == word.size() || !is_letter(text_[end - word.size() - 1]);
        if (begins && (end == text_.size() || !is_letter(text_[end]))) return end;
    }
    return nowhere;
}

std::size_t window::after_spaces(std::size_t at) const noexcept {
    while (at < text_.size() && is_space(text_[at])) ++at;
    return at;
}

std::string_view window::size_text(std::size_t at) const noexcept {
    constexpr std::string_view skipped = " \n\t:=>('\"";
    constexpr std::string_view units = "KMGTPE";
    while (at < text_.size() && skipped.find(text_[at]) != nowhere) ++at;
    std::size_t end = at;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (end == at) return {};
    const auto has_group = [&] {  // `,073` of `1,073,741`
        const std::string_view rest = text_.substr(end);
        return rest.size() > 3 && rest[0] == ',' && is_digit(rest[1]) && is_digit(rest[2]) && is_digit(rest[3]) &&
               (rest.size() == 4 || !is_digit(rest[4]));
    };
    if (end - at <= 3)
        while (has_group()) end += 4;
    if (end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
        ++end;
        while (end < text_.size() && is_digit(text_[end])) ++end;
    }
    const std::string_view rest = text_.substr(end);
    const std::size_t space = rest.starts_with(' ') ? 1 : 0;  // `1.55 GB`
    const std::size_t letter = rest.size() > space && units.find(rest[space]) != nowhere ? 1 : 0;
    const std::string_view bytes = rest.substr(std::min(space + letter, rest.size()));
    const std::size_t ending = bytes.starts_with("iB") ? 2 : bytes.starts_with('B') ? 1 : 0;
    const bool is_word = bytes.size() > ending && is_letter(bytes[ending]);
    if (space == 0 && (letter != 0 || ending == 1))
        end += letter + (letter == 0 || ending == 2 ? ending : 0);
    else if (space == 1 && letter == 1 && ending != 0 && !is_word)
        end += space + letter + ending;
    return text_.substr(at, end - at);
}

std::size_t window::offset_of(std::string_view part) const noexcept {
    return static_cast<std::size_t>(part.data() - text_.data());
}

std::string_view window::rest_of_line(std::size_t at) const noexcept {
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    std::string_view rest = text_.substr(at, text_.substr(at).find('\n'));
    while (!rest.empty() && is_space(rest.back())) rest.remove_suffix(1);
    return rest;
}

std::size_t window::find_after_space(std::string_view words, std::size_t from) const noexcept {
    const std::string_view first = words.substr(0, words.find(' '));
    for (std::size_t at = text_.find(first, from); at != nowhere; at = text_.find(first, at + 1)) {
        if (at <= from || !is_space(text_[at - 1])) continue;
        if (const std::size_t end = end_of(words, at); end != nowhere) return end;
    }
    return nowhere;
}

namespace {

/// Returns the length of the prefix that a log writes in a line: `2020-05-04 09:05:40.7: E 1578 file.cc:76] `, `E1111
/// 07:35:00.2 1404 error_handling.py:81] `, `2020-05-04T09:05:40Z `, and `> ` of a quotation. Returns 0 without one.
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

/// A sign of UTF-8 that web pages and word processors write for a plain one.
struct typographic_sign {
    std::string_view bytes;
    char plain;
};
constexpr typographic_sign typographic_signs[] = {
    {"\xe2\x80\x98", '\''}, {"\xe2\x80\x99", '\''}, {"\xe2\x80\x9c", '"'},
    {"\xe2\x80\x9d", '"'},  {"\xc2\xa0", ' '},      {"\xe2\x80\xaf", ' '},  // blanks at which no line breaks
};

/// Returns the typographic sign with which a text begins; without bytes for others. Requires: the text is not empty.
typographic_sign sign_at(std::string_view text) noexcept {
    if ((text[0] & '\x80') == 0) return {};
    for (const typographic_sign& sign : typographic_signs)
        if (text.starts_with(sign.bytes)) return sign;
    return {};
}

/// Returns true if the comma at `at` is a decimal point: `18,25G`. A group of thousands has three digits.
bool is_decimal_comma(std::string_view text, std::size_t at) noexcept {
    if (at == 0 || !is_digit(text[at - 1])) return false;
    std::size_t end = at + 1;
    while (end < text.size() && end <= at + 2 && is_digit(text[end])) ++end;
    return end > at + 1 && end < text.size() && std::string_view("KMGT").find(text[end]) != std::string_view::npos;
}

}  // namespace

void add_plain_text(plain_text& target, std::string_view original, std::size_t begin, std::size_t end,
                    bool at_line_begin) {
    const auto add = [&](char byte, std::size_t from) {
        // Replaces control characters, which would steer a terminal.
        const bool steers = (byte >= 0 && byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f;
        target.text += steers ? '?' : byte;
        target.origins.push_back(static_cast<std::uint32_t>(from));
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
        } else if (const typographic_sign sign = sign_at(original.substr(at, end - at)); !sign.bytes.empty()) {
            add(sign.plain, at);
            at += sign.bytes.size();
        } else if (byte == ',' && is_decimal_comma(original.substr(0, end), at)) {
            add('.', at++);
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
