#include "compare/read/read_error.hpp"

#include <algorithm>
#include <utility>

#include "compare/text/text.hpp"

namespace hbm::imported {

trace::read_error error_at(std::string_view text, std::size_t at, std::string_view file, std::string found,
                           std::string expected) {
    const std::string_view before = text.substr(0, at);
    const std::size_t line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t begin = before.rfind('\n') + 1;  // 0 in the first line
    return {std::string(file), line, before.size() - begin + 1, std::move(found), std::move(expected)};
}

trace::read_error error_at(std::string_view text, std::size_t at, std::string_view file, std::string expected) {
    const std::string_view there = text.substr(std::min(at, text.size()));
    const std::string_view line = there.substr(0, there.find_first_of("\r\n"));
    std::string found = there.empty()  ? std::string("the end of the file")
                        : line.empty() ? std::string("the end of the line")
                                       : trace::quoted(line.substr(0, 30));
    return error_at(text, at, file, std::move(found), std::move(expected));
}

}  // namespace hbm::imported
