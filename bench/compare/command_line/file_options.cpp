#include "compare/command_line/file_options.hpp"

#include <filesystem>
#include <system_error>

#include "compare/read/file_kind.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/read_file.hpp"
#include "compare/read/samples/samples.hpp"

namespace hbm::compare {

std::vector<std::string_view> options_of_file(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return {"--trace"};
    try {
        // The limit keeps a huge trace from being read twice.
        const std::string text = read_text(path, max_log_bytes);
        switch (imported::recognise(text)) {
        case imported::file_kind::module:
        case imported::file_kind::assignment: return {"--program"};
        case imported::file_kind::profile:
        case imported::file_kind::samples: return {"--growth", "--trace"};
        case imported::file_kind::message: return {"--message"};
        case imported::file_kind::unknown:
            if (imported::find_foreign_message(text) != nullptr ||
                !imported::log_samples(imported::plain_text_of(text)).empty())
                return {"--message"};
            break;
        default: break;
        }
    } catch (const trace::read_error&) {
    }
    return {"--trace"};
}

std::string with_advice(const std::string& error, const std::string& path, std::string_view option) {
    const std::vector<std::string_view> options = options_of_file(path);
    if (options.front() == option || options.front() == "--trace") return error;
    std::string command = "hbm_compare";
    for (const std::string_view each : options) command += ' ' + std::string(each);
    return error + "\n" + path + " is read by its content: `" + command + ' ' + path + "`";
}

}  // namespace hbm::compare
