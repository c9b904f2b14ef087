#include "compare/read/xla/line_cursor.hpp"

#include <charconv>
#include <system_error>

namespace hbm::imported::xla {

bool line_cursor::accept(std::string_view words) noexcept {
    if (!rest().starts_with(words)) return false;
    at_ += words.size();
    return true;
}

void line_cursor::skip_blanks() noexcept {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
}

bool line_cursor::number(std::uint64_t& value) noexcept {
    const char* const begin = line_.data() + at_;
    const auto [stop, problem] = std::from_chars(begin, line_.data() + line_.size(), value);
    if (problem != std::errc{}) return false;
    at_ += static_cast<std::size_t>(stop - begin);
    return true;
}

bool line_cursor::number(std::uint32_t& value) noexcept {
    const std::size_t before = at_;
    std::uint64_t wide = 0;
    if (number(wide) && wide <= 0xffff'ffff) {
        value = static_cast<std::uint32_t>(wide);
        return true;
    }
    at_ = before;
    return false;
}

bool line_cursor::until(std::string_view any_of, std::string_view& before) noexcept {
    const std::size_t end = line_.find_first_of(any_of, at_);
    if (end == std::string_view::npos) return false;
    before = line_.substr(at_, end - at_);
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

}  // namespace hbm::imported::xla
