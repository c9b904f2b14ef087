#include "compare/read/xla/text_cursor.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>

#include "compare/text/text.hpp"

namespace hbm::imported::xla {

bool text_cursor::accept(std::string_view words) noexcept {
    if (!rest().starts_with(words)) return false;
    at_ += words.size();
    return true;
}

void text_cursor::skip_blanks() noexcept {
    for (;;) {
        while (!done() && is_blank(text_[at_])) ++at_;
        if (!rest().starts_with("/*")) return;
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return;
        at_ = end + 2;
    }
}

bool text_cursor::number(std::uint64_t& value) noexcept {
    const char* const begin = text_.data() + at_;
    const auto [stop, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem != std::errc{}) return false;
    at_ += static_cast<std::size_t>(stop - begin);
    return true;
}

std::string_view text_cursor::word() noexcept {
    const std::size_t begin = at_;
    while (!done() && is_word(text_[at_])) ++at_;
    return since(begin);
}

bool text_cursor::index(index_path& target) {
    const std::size_t begin = at_;
    index_path match;
    if (!accept("{")) return false;
    skip_blanks();
    while (!accept("}")) {
        std::uint64_t entry = 0;
        const bool is_first = match.empty();
        if (match.size() == max_tuple_depth || (!is_first && !accept(","))) return go_back(begin);
        skip_blanks();
        if (!number(entry)) return go_back(begin);
        match.push_back(entry);
        skip_blanks();
    }
    target = std::move(match);
    return true;
}

bool text_cursor::skip_quotes() noexcept {
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

bool text_cursor::skip_brackets() noexcept {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    while (!done()) {
        const char letter = text_[at_];
        if (letter == '"') {
            if (!skip_quotes()) break;
            continue;
        }
        if (letter == '(' || letter == '[' || letter == '{') ++depth;
        const bool closes = letter == ')' || letter == ']' || letter == '}';
        if (closes && depth == 0) break;
        ++at_;
        if (closes && --depth == 0) return true;
        if (depth == 0) break;
    }
    return go_back(begin);
}

bool text_cursor::is_blank(char letter) noexcept {
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

bool text_cursor::is_word(char letter) noexcept {
    return is_digit(letter) || is_letter(letter) || letter == '_';
}

bool text_cursor::go_back(std::size_t begin) noexcept {
    at_ = begin;
    return false;
}

bool text_cursor::number(std::uint32_t& value) noexcept {
    const std::size_t begin = at_;
    std::uint64_t wide = 0;
    if (!number(wide) || wide > 0xffff'ffff) return go_back(begin);
    value = static_cast<std::uint32_t>(wide);
    return true;
}

bool text_cursor::until(std::string_view any_of, std::string_view& before) noexcept {
    const std::size_t end = text_.find_first_of(any_of, at_);
    if (end == std::string_view::npos) return false;
    before = text_.substr(at_, end - at_);
    at_ = end;
    return true;
}

bool text_lines::next() noexcept {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    is_ended_ = end != std::string_view::npos;
    line_ = rest_.substr(0, end);
    rest_ = is_ended_ ? rest_.substr(end + 1) : std::string_view{};
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
}

std::optional<index_path> cut_index(std::string_view& text) {
    if (!text.ends_with('}')) return std::nullopt;
    const std::size_t open = text.rfind('{');
    if (open == std::string_view::npos) return std::nullopt;
    index_path index;
    text_cursor inside(text.substr(open));
    if (!inside.index(index) || !inside.done()) return std::nullopt;
    text = text.substr(0, open);
    if (text.ends_with(' ')) text.remove_suffix(1);
    return index;
}

std::string index_words(const index_path& index) {
    std::string words = "{";
    for (std::size_t at = 0; at < index.size(); ++at) words += (at == 0 ? "" : ",") + std::to_string(index[at]);
    return words + '}';
}

}  // namespace hbm::imported::xla
