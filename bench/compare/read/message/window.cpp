#include "compare/read/message/window.hpp"

namespace hbm::imported {

bool window::is_space(char each) noexcept {
    return each == ' ' || each == '\n' || each == '\t' || each == '\v' || each == '\f';
}

bool window::is_letter(char each) noexcept {
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
}

std::size_t window::end_of(std::string_view words, std::size_t at) const noexcept {
    for (const char each : words) {
        if (each == ' ') {
            if (at >= text_.size() || !is_space(text_[at])) return nowhere;
            at = after_spaces(at);
        } else {
            if (at >= text_.size() || text_[at] != each) return nowhere;
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
    while (at < text_.size() && skipped.find(text_[at]) != nowhere) ++at;
    std::size_t end = at;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (end == at) return {};
    if (end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
        ++end;
        while (end < text_.size() && is_digit(text_[end])) ++end;
    }
    if (end < text_.size() && std::string_view{"KMGTPE"}.find(text_[end]) != nowhere) {
        ++end;
        if (end + 1 < text_.size() && text_[end] == 'i' && text_[end + 1] == 'B') end += 2;
    } else if (end < text_.size() && text_[end] == 'B') {
        ++end;
    }
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

}  // namespace hbm::imported
