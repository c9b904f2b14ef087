#include "compare/read/log_file.hpp"

#include <hbm/explain/words.hpp>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "compare/read/read_error.hpp"
#include "compare/text/gzip.hpp"

namespace hbm::compare {

imported::reading<std::string> read_log(const std::string& path) {
    const bool is_input = path == "-";
    const std::string name = is_input ? "stdin" : path;
    std::FILE* const file = is_input ? stdin : std::fopen(path.c_str(), "rb");
    const auto fail = [&](std::string content, std::string expected) {
        if (file != nullptr && !is_input) std::fclose(file);
        return trace::read_error{name, 0, 0, std::move(content), std::move(expected)};
    };
    std::error_code error;
    if (!is_input && std::filesystem::is_directory(path, error))
        return fail("a folder", "the path of a file with the message, such as " + path +
                                    (path.ends_with('/') ? "" : "/") + "LOG, or - for stdin");
    if (file == nullptr) return fail("", std::strerror(errno));
    std::string text;
    std::array<char, 65536> portion;
    while (const std::size_t count = std::fread(portion.data(), 1, portion.size(), file)) {
        text.append(portion.data(), count);
        if (text.size() > max_log_bytes)
            return fail("more than " + size_in_words(max_log_bytes) + " of text",
                        "the part around the message: `grep -n RESOURCE_EXHAUSTED LOG`, or `tail -n 1000 LOG`");
    }
    if (std::ferror(file) != 0) return fail("a file that cannot be read to its end", "a readable file");
    if (!is_input) std::fclose(file);
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        return trace::read_error{name, 0, 0, "text in UTF-16, as some shells of Windows write it",
                                 "text in UTF-8: iconv -f UTF-16 -t UTF-8 LOG"};
    if (!trace::is_gzip(text)) return text;
    std::string unpacked;
    const trace::unpacking outcome = trace::gunzip(text, unpacked, max_log_bytes);
    if (outcome == trace::unpacking::done) return unpacked;
    return error_of(outcome, name, max_log_bytes, "the part around the message");
}

}  // namespace hbm::compare
