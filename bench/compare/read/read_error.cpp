#include "compare/read/read_error.hpp"

#include <algorithm>
#include <utility>

#include "compare/text/text.hpp"

namespace hbm::trace {

read_error error_of(unpacking outcome, std::string file, std::size_t most, const std::string& what) {
    switch (outcome) {
    case unpacking::without_zlib:
        return {std::move(file), 0, 0, "gzip data",
                "plain text: this program was built without zlib, so unpack the file first (gunzip)"};
    case unpacking::too_large:
        return {std::move(file), 0, 0, "gzip data of more than " + decimal(most >> 20U) + " MiB",
                what + ", which is smaller: check it with gunzip -c FILE | wc -c"};
    default: return {std::move(file), 0, 0, "damaged gzip data", "a whole gzip file: check it with gzip -t"};
    }
}

}  // namespace hbm::trace

namespace hbm::imported {

trace::read_error error_at(std::string_view text, std::size_t at, std::string_view file, std::string content,
                           std::string expected) {
    const std::string_view before = text.substr(0, at);
    const std::size_t line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t begin = before.rfind('\n') + 1;  // 0 in the first line
    return {std::string(file), line, before.size() - begin + 1, std::move(content), std::move(expected)};
}

trace::read_error error_at(std::string_view text, std::size_t at, std::string_view file, std::string expected) {
    const std::string_view there = text.substr(std::min(at, text.size()));
    const std::string_view line = there.substr(0, there.find_first_of("\r\n"));
    std::string content = there.empty()  ? std::string("the end of the file")
                          : line.empty() ? std::string("the end of the line")
                                         : trace::quoted(line.substr(0, 30));
    return error_at(text, at, file, std::move(content), std::move(expected));
}

}  // namespace hbm::imported
