#include "compare/read/message/scan.hpp"

#include <algorithm>
#include <cstdint>

#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

constexpr std::string_view spaces = " \n\t\v\f";
constexpr std::string_view digits = "0123456789";

bool is_space(char letter) {
    return spaces.find(letter) != nowhere;
}

bool is_of_word(char letter) {
    return is_letter(letter) || is_digit(letter);
}

std::size_t after(std::string_view text, std::string_view skipped, std::size_t at) {
    return std::min(text.find_first_not_of(skipped, at), text.size());
}

/// Returns the end of a number's unit at `at`: `G`, `GiB`, `GB` or `B`, also behind a blank if it cannot be a word.
std::size_t end_of_unit(std::string_view text, std::size_t at) {
    const auto letter_at = [&](std::size_t place) { return place < text.size() ? text[place] : ' '; };
    const bool has_blank = letter_at(at) == ' ';
    std::size_t end = has_blank ? at + 1 : at;
    const bool has_prefix = std::string_view("KMGTPE").find(letter_at(end)) != nowhere;
    if (has_prefix) ++end;
    if (has_prefix && text.substr(end).starts_with("iB"))
        end += 2;
    else if (letter_at(end) == 'B')
        ++end;
    const bool is_unit = end > (has_blank ? at + 1 : at) && !is_of_word(letter_at(end));
    return is_unit && (has_prefix || !has_blank) ? end : at;
}

/// Returns the bytes in brackets in the line at `at`, or else the size there.
scanned_size scan_exact(std::string_view text, std::size_t at, bool is_negative) {
    if (rest_of_line(text, at).starts_with('-') != is_negative) return {};
    const std::string_view line = rest_of_line(text, at);
    const std::size_t open = line.find('(');
    std::string exact;
    if (open != nowhere)
        for (const char letter : line.substr(open, line.find(')', open) - open))
            if (is_digit(letter)) exact += letter;
    if (const std::optional<rounded_size> bytes = read_rounded_size(exact)) return {bytes, {}};
    return scan_size(text, is_negative ? text.find('-', at) + 1 : at, form::bytes);
}

}  // namespace

std::size_t end_of_words(std::string_view text, std::string_view words, std::size_t at) {
    constexpr std::size_t longest_gap = 200;
    for (std::size_t next = 0; next < words.size(); ++next) {
        const char sign = words[next];
        if (sign == '~') {
            for (std::size_t from = at; from <= std::min(text.size(), at + longest_gap); ++from)
                if (const std::size_t end = end_of_words(text, words.substr(next + 1), from); end != nowhere)
                    return end;
            return nowhere;
        }
        if (at >= text.size()) return nowhere;
        if (sign == ' ') {
            if (!is_space(text[at])) return nowhere;
            at = after(text, spaces, at);
        } else if (sign == '*') {
            if (!is_of_word(text[at])) return nowhere;
            while (at < text.size() && is_of_word(text[at])) ++at;
        } else if (text[at++] != sign) {
            return nowhere;
        }
    }
    return at;
}

std::size_t find_words(std::string_view text, std::string_view words, std::size_t from) {
    const std::string_view first = words.substr(0, words.find_first_of(" *~"));
    for (std::size_t at = text.find(first, from); at != nowhere; at = text.find(first, at + 1))
        if (const std::size_t end = end_of_words(text, words, at); end != nowhere) return end;
    return nowhere;
}

scanned_size scan_size(std::string_view text, std::size_t at, form how) {
    if (how == form::exact || how == form::negative) return scan_exact(text, at, how == form::negative);
    at = after(text, " \n\t:=>('\"", at);
    if (at == text.size()) return {};
    const std::size_t sign = text[at] == '-' ? 1 : 0;
    std::size_t end = after(text, digits, at + sign);
    if (end == at + sign) return {};
    if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) end = after(text, digits, end + 1);
    const std::size_t unit = end_of_unit(text, end);
    // Sizes of 10,000 bytes and more are printed with a unit, and never with a letter that is none.
    const bool has_unit = unit != end;
    const bool is_whole = how == form::bytes || how == form::words || end - at > 4;
    const bool is_followed = unit < text.size() && (is_of_word(text[unit]) || text[unit] == '_');
    std::string_view printed = text.substr(at, unit - at);
    if (is_followed) printed = text.substr(at, text.find_first_of(" \n\t,;)", at) - at);
    const std::optional<rounded_size> size = read_rounded_size(text.substr(at, unit - at));
    const bool has_point = printed.find('.') != nowhere;
    if (!size || sign != 0 || is_followed || (!has_unit && (!is_whole || has_point))) return {{}, printed};
    if (how != form::words) return {size, {}};
    // A word of the SparseCore has 4 bytes.
    if (size->bytes >> 60 != 0) return {};
    return {exactly(size->bytes * 4), {}};
}

std::string_view rest_of_line(std::string_view text, std::size_t at) {
    at = after(text, " \t", at);
    std::string_view rest = text.substr(at, text.substr(at).find('\n'));
    while (!rest.empty() && is_space(rest.back())) rest.remove_suffix(1);
    return rest;
}

std::string scan_text(std::string_view text, std::size_t at, form how) {
    constexpr std::size_t longest = 300;
    const std::string_view rest = text.substr(after(text, spaces, at)).substr(0, longest);
    if (rest.empty()) return {};
    const bool is_quoted = rest.front() == '\'' || rest.front() == '"';
    switch (how) {
    case form::word: {
        std::size_t end = 0;
        while (end < rest.size() && is_of_word(rest[end])) ++end;
        const std::string_view word = rest.substr(0, end);
        const bool is_memory = word == "VMEM" || word == "SMEM" || word == "HBM";
        return is_memory ? lower_case(word) : std::string(word);
    }
    case form::name: {
        std::string_view name = rest.substr(rest.front() == '%' ? 1 : 0);
        name = name.substr(0, name.find_first_of(" \n\t,;'\")"));
        while (name.ends_with('.')) name.remove_suffix(1);
        return std::string(name);
    }
    case form::quoted: {
        if (!is_quoted) return {};
        std::string plain;  // white space is a blank
        for (const char letter : rest.substr(1, rest.find(rest.front(), 1) - 1))
            if (!is_space(letter) || !plain.ends_with(' ')) plain += is_space(letter) ? ' ' : letter;
        return plain;
    }
    case form::shape: {
        const std::string_view shape = rest.substr(is_quoted ? 1 : 0);
        return std::string(shape.substr(0, std::min(shape.find_first_of("'\" \n"), shape.find("..."))));
    }
    case form::program: {
        const std::string_view name = rest.substr(is_quoted ? 1 : 0);
        const std::size_t end = is_quoted ? name.find(rest.front()) : name.find(':');
        return end != nowhere && name.find('\n') > end ? std::string(name.substr(0, end)) : std::string{};
    }
    case form::device: {
        const std::string_view mark = "_HBM";
        std::size_t begin = at - mark.size();
        while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == 'x')) --begin;
        return std::string(text.substr(begin, after(text, digits, at) - begin));
    }
    default: {  // form::replicas
        const std::size_t end = rest_of_line(text, at).find(" of a ");
        return end < 60 ? std::string(rest.substr(0, end)) : std::string{};
    }
    }
}

}  // namespace hbm::imported
