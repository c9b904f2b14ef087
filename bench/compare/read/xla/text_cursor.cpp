#include "compare/read/xla/text_cursor.hpp"

#include <charconv>
#include <system_error>
#include <utility>

#include "compare/text/text.hpp"

namespace hbm::imported {

void text_cursor::skip_blanks() noexcept {
    for (;;) {
        while (!done() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
        if (!rest().starts_with("/*")) return;
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return;
        at_ = end + 2;
    }
}

bool text_cursor::accept(std::string_view words) noexcept {
    if (!rest().starts_with(words)) return false;
    at_ += words.size();
    return true;
}

bool text_cursor::number(std::uint64_t& value) noexcept {
    const char* const begin = text_.data() + at_;
    const auto [stop, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem != std::errc{}) return false;
    at_ += static_cast<std::size_t>(stop - begin);
    return true;
}

bool text_cursor::until(std::string_view any_of, std::string_view& before) noexcept {
    const std::size_t end = text_.find_first_of(any_of, at_);
    if (end == std::string_view::npos) return false;
    before = text_.substr(at_, end - at_);
    at_ = end;
    return true;
}

std::string_view text_cursor::word() noexcept {
    const std::size_t begin = at_;
    while (is_digit(next()) || is_letter(next()) || next() == '_') ++at_;
    return since(begin);
}

bool text_cursor::index(index_path& target) {
    const std::size_t begin = at_;
    index_path match;
    if (!accept("{")) return false;
    skip_blanks();
    while (!accept("}")) {
        std::uint64_t entry = 0;
        if (match.size() == max_tuple_depth || (!match.empty() && !accept(","))) return go_back(begin);
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
        if (accept("\"")) return true;
        if (text_[at_] == '\\') ++at_;
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
        if (depth == 0) break;
        ++at_;
        if (closes && --depth == 0) return true;
    }
    return go_back(begin);
}

void text_cursor::expect(std::string_view words, const char* meaning) {
    if (!accept(words)) fail(meaning);
}

std::uint64_t text_cursor::take_number(const char* meaning) {
    std::uint64_t value = 0;
    if (!number(value)) fail(meaning);
    return value;
}

index_path text_cursor::take_index(const char* meaning) {
    index_path path;
    if (!index(path)) fail(meaning);
    return path;
}

bool text_cursor::go_back(std::size_t begin) noexcept {
    at_ = begin;
    return false;
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
    std::string words;
    for (const std::uint64_t each : index) append_item(words, trace::decimal(each), ",");
    return '{' + words + '}';
}

}  // namespace hbm::imported
