#include "compare/command_line/file_options.hpp"

#include <filesystem>
#include <system_error>

#include "compare/read/log_file.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/read_trace.hpp"

namespace hbm::compare {

std::vector<std::string_view> options_of_file(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return {"--trace"};
    // The limit keeps a huge trace from being read twice.
    if (const imported::reading<imported_file> file = read_imported_file(path, max_log_bytes)) {
        switch (file->kind) {
        case imported::file_kind::module:
        case imported::file_kind::assignment: return {"--program"};
        case imported::file_kind::profile:
        case imported::file_kind::samples: return {"--growth", "--trace"};
        default: break;
        }
    }
    const imported::reading<std::string> text = read_log(path);
    const bool is_message =
        text && (!imported::read_messages(*text).messages.empty() || imported::find_foreign_message(*text) != nullptr);
    return {is_message ? "--message" : "--trace"};
}

std::string with_advice(const std::string& error, const std::string& path, std::string_view option) {
    const std::vector<std::string_view> options = options_of_file(path);
    if (options.front() == option || options.front() == "--trace") return error;
    std::string command = "hbm_compare";
    for (const std::string_view each : options) command += ' ' + std::string(each);
    return error + "\n" + path + " is read by its content: `" + command + ' ' + path + "`";
}

}  // namespace hbm::compare
