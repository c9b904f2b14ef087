#include "compare/read/xla/module/module_header.hpp"

namespace hbm::imported::xla {

bool next_attribute(text_cursor& cursor, std::string_view& key, std::size_t& value) noexcept {
    text_cursor ahead = cursor;
    if (!ahead.accept(",")) return false;
    ahead.skip_blanks();
    key = ahead.word();
    if (key.empty() || !ahead.accept("=")) return false;
    value = ahead.at();
    while (!ahead.done() && ahead.next() != ',' && ahead.next() != '\n') {
        const char each = ahead.next();
        const bool opens = each == '(' || each == '[' || each == '{';
        if (each == '"' ? !ahead.skip_quotes() : opens && !ahead.skip_brackets()) {
            cursor.go_to(value);
            return false;
        }
        if (each != '"' && !opens) ahead.go_to(ahead.at() + 1);
    }
    cursor = ahead;
    return true;
}

}  // namespace hbm::imported::xla
