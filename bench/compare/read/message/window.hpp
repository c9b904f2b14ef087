#pragma once

/// Looking for key words and the sizes beside them, wherever a text breaks its lines.

#include <cstddef>
#include <optional>
#include <string_view>

#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// A part of a text that is searched for key words. Spaces in key words stand for any white space, line ends included.
class window {
public:
    static constexpr std::size_t nowhere = std::string_view::npos;

    explicit window(std::string_view text) noexcept : text_(text) {}

    [[nodiscard]] std::string_view text() const noexcept { return text_; }

    [[nodiscard]] static constexpr bool is_space(char each) noexcept {
        return each == ' ' || each == '\n' || each == '\t' || each == '\v' || each == '\f';
    }
    [[nodiscard]] static constexpr bool is_digit(char each) noexcept { return each >= '0' && each <= '9'; }
    [[nodiscard]] static constexpr bool is_letter(char each) noexcept {
        return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
    }

    /// Where `words` end if they stand at `at`; `nowhere` if they do not.
    [[nodiscard]] std::size_t end_of(std::string_view words, std::size_t at) const noexcept {
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

    /// Where `words` first end at or after `from`; `nowhere` if they are not there. The word before the first space
    /// decides how quick this is. O(length of the text), unless the first word stands there very often.
    [[nodiscard]] std::size_t find(std::string_view words, std::size_t from = 0) const noexcept {
        if (words.starts_with(' ')) return find_after_space(words.substr(1), from);
        const std::string_view first = words.substr(0, words.find(' '));
        for (std::size_t at = text_.find(first, from); at != nowhere; at = text_.find(first, at + 1))
            if (const std::size_t end = end_of(words, at); end != nowhere) return end;
        return nowhere;
    }
    /// The same for a word that stands alone: not a part of a longer word.
    [[nodiscard]] std::size_t find_word(std::string_view word, std::size_t from = 0) const noexcept {
        for (std::size_t end = find(word, from); end != nowhere; end = find(word, end)) {
            const bool begins = end == word.size() || !is_letter(text_[end - word.size() - 1]);
            if (begins && (end == text_.size() || !is_letter(text_[end]))) return end;
        }
        return nowhere;
    }

    [[nodiscard]] std::size_t after_spaces(std::size_t at) const noexcept {
        while (at < text_.size() && is_space(text_[at])) ++at;
        return at;
    }

    /// The text of a size that stands at or after `at`, with nothing but white space, colons, equals and greater signs,
    /// opening brackets and quotation marks before it; empty if none stands there.
    [[nodiscard]] std::string_view size_text(std::size_t at) const noexcept {
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

    /// The offset of a text that `size_text` returned.
    [[nodiscard]] std::size_t offset_of(std::string_view part) const noexcept {
        return static_cast<std::size_t>(part.data() - text_.data());
    }

    /// What stands from `at` to the end of its line, without white space around it.
    [[nodiscard]] std::string_view rest_of_line(std::size_t at) const noexcept {
        while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
        std::string_view rest = text_.substr(at, text_.substr(at).find('\n'));
        while (!rest.empty() && is_space(rest.back())) rest.remove_suffix(1);
        return rest;
    }

private:
    /// The same with white space before the words, which is not looked for itself: there may be much of it.
    [[nodiscard]] std::size_t find_after_space(std::string_view words, std::size_t from) const noexcept {
        const std::string_view first = words.substr(0, words.find(' '));
        for (std::size_t at = text_.find(first, from); at != nowhere; at = text_.find(first, at + 1)) {
            if (at <= from || !is_space(text_[at - 1])) continue;
            if (const std::size_t end = end_of(words, at); end != nowhere) return end;
        }
        return nowhere;
    }

    std::string_view text_;
};

}  // namespace hbm::imported
