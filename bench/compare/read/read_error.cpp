#include "compare/read/read_error.hpp"

#include <algorithm>
#include <utility>

#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

std::string words_of(const std::string& file, std::size_t line, std::size_t column, const std::string& found,
                     const std::string& expected) {
    const std::string name = printable(file);
    if (found.empty()) return "cannot open " + name + ": " + expected;
    const std::string place = line == 0 ? "" : ':' + decimal(line) + ':' + decimal(column);
    return name + place + ": found " + found + ", expected " + expected;
}

}  // namespace

read_error::read_error(std::string name, std::size_t line_number, std::size_t first, std::string content,
                       std::string wanted)
    : usage_error(words_of(name, line_number, first, content, wanted)), file(std::move(name)), line(line_number),
      column(first), found(std::move(content)), expected(std::move(wanted)) {}

read_error::read_error(std::string name, std::string content, std::string wanted)
    : read_error(std::move(name), 0, 0, std::move(content), std::move(wanted)) {}

read_error error_at(std::string_view text, std::size_t at, std::string_view file, std::string expected,
                    std::string found) {
    const std::string_view before = text.substr(0, at);
    const std::size_t line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t begin = before.rfind('\n') + 1;  // 0 in the first line
    if (found.empty()) {
        const std::string_view there = text.substr(before.size());
        const std::string_view rest = there.substr(0, there.find_first_of("\r\n"));
        found = there.empty()  ? "the end of the file"
                : rest.empty() ? "the end of the line"
                               : quoted(rest.substr(0, 30));
    }
    return {std::string(file), line, before.size() - begin + 1, std::move(found), std::move(expected)};
}

}  // namespace hbm::trace
