#pragma once
// A position in the text of an HLO module, and steps over what may stand there.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include "compare/read/description.hpp"

namespace hbm::imported::xla {

/// A position in a text. Steps that fail leave it where it was. No step recurses, so that no nesting exhausts the
/// stack.
class text_cursor {
public:
    /// At the byte `at` of the text, which must outlive the cursor.
    explicit text_cursor(std::string_view text, std::size_t at = 0) noexcept : text_(text), at_(at) {}

    /// The byte that comes next, from 0.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    /// Whether the text is at its end.
    [[nodiscard]] bool done() const noexcept { return at_ >= text_.size(); }
    /// The next character; 0 at the end.
    [[nodiscard]] char next() const noexcept { return done() ? '\0' : text_[at_]; }
    /// The text from here on.
    [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }
    /// The text from `begin` to here.
    [[nodiscard]] std::string_view since(std::size_t begin) const noexcept { return text_.substr(begin, at_ - begin); }

    /// Goes to a byte of the text.
    void go_to(std::size_t at) noexcept { at_ = at; }
    /// Steps over `words` if they come next.
    bool accept(std::string_view words) noexcept {
        if (!rest().starts_with(words)) return false;
        at_ += words.size();
        return true;
    }
    /// Steps over blanks, ends of lines and comments such as /*index=5*/.
    void skip_blanks() noexcept {
        for (;;) {
            while (!done() && is_blank(text_[at_])) ++at_;
            if (!rest().starts_with("/*")) return;
            const std::size_t end = text_.find("*/", at_ + 2);
            if (end == std::string_view::npos) return;
            at_ = end + 2;
        }
    }
    /// Steps over an unsigned decimal number below 2^64.
    bool number(std::uint64_t& value) noexcept {
        const char* const begin = text_.data() + at_;
        const auto [stop, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (problem != std::errc{}) return false;
        at_ += static_cast<std::size_t>(stop - begin);
        return true;
    }
    /// Steps over letters, digits and underscores; empty if none comes next.
    std::string_view word() noexcept {
        const std::size_t begin = at_;
        while (!done() && is_word(text_[at_])) ++at_;
        return since(begin);
    }
    /// Steps over the index of a leaf: `{}`, `{0}`, `{1, 0}`, with at most `most` numbers.
    bool index(index_path& into, std::size_t most) {
        const std::size_t begin = at_;
        index_path found;
        if (!accept("{")) return false;
        skip_blanks();
        while (!accept("}")) {
            std::uint64_t each = 0;
            const bool is_first = found.empty();
            if (found.size() == most || (!is_first && !accept(","))) return go_back(begin);
            skip_blanks();
            if (!number(each)) return go_back(begin);
            found.push_back(each);
            skip_blanks();
        }
        into = std::move(found);
        return true;
    }
    /// Steps over a text in double quotes.
    bool skip_quotes() noexcept {
        const std::size_t begin = at_;
        if (!accept("\"")) return false;
        for (; !done(); ++at_) {
            if (text_[at_] == '\\')
                ++at_;
            else if (text_[at_] == '"') {
                ++at_;
                return true;
            }
        }
        return go_back(begin);
    }
    /// Steps over brackets of any kind and all between them; brackets in quotes do not count.
    bool skip_brackets() noexcept {
        const std::size_t begin = at_;
        std::size_t depth = 0;
        while (!done()) {
            const char each = text_[at_];
            if (each == '"') {
                if (!skip_quotes()) break;
                continue;
            }
            if (each == '(' || each == '[' || each == '{') ++depth;
            const bool closes = each == ')' || each == ']' || each == '}';
            if (closes && depth == 0) break;
            ++at_;
            if (closes && --depth == 0) return true;
            if (depth == 0) break;
        }
        return go_back(begin);
    }

private:
    [[nodiscard]] static bool is_blank(char each) noexcept {
        return each == ' ' || each == '\t' || each == '\n' || each == '\r';
    }
    [[nodiscard]] static bool is_word(char each) noexcept {
        return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
               each == '_';
    }
    bool go_back(std::size_t begin) noexcept {
        at_ = begin;
        return false;
    }

    std::string_view text_;
    std::size_t at_;
};

}  // namespace hbm::imported::xla
