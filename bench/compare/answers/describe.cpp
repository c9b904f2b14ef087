#include <filesystem>
#include <string_view>
#include <system_error>

#include "compare/answers/answers.hpp"
#include "compare/read/description.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/read_file.hpp"
#include "compare/read/xla/assignment.hpp"
#include "compare/read/xla/module.hpp"
#include "compare/text/usage_error.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

namespace {

using imported::file_kind;

imported::description describe(const imported_file& file) {
    switch (file.kind) {
    case file_kind::module: return imported::describe(imported::read_module(file.text, file.path));
    case file_kind::profile: return imported::describe(imported::read_pprof(file.text, file.path));
    case file_kind::assignment: return imported::describe(imported::read_assignment(file.text, file.path));
    case file_kind::message: {
        const imported::found_messages found = imported::read_messages(file.text);
        if (found.messages.empty()) throw imported::no_message_in(file.text, file.path);
        return imported::describe(found);
    }
    default:
        throw trace::read_error(
            file.path, std::string(imported::kind_in_words(file.kind)),
            "an HLO module, a buffer assignment, an out-of-memory message or a device memory profile "
            "of JAX");
    }
}

}  // namespace

std::string describe_files(const std::vector<std::string>& files, std::vector<std::string>& warnings) {
    json_writer writer;
    writer.begin_object();
    writer.field("schema", "hbm-describe/1");
    writer.begin_array("files");
    const auto add = [&](const std::string& path) {
        imported::write_description(writer, path, describe(read_imported_file(path)));
    };
    for (const std::string& path : files) {
        std::error_code error;
        if (!std::filesystem::is_directory(path, error)) {
            add(path);
            continue;
        }
        const std::vector<std::string> all = dump_files_in(path);
        if (all.empty()) throw usage_error(no_dump_in(path));
        for (const std::string& name : all) {
            try {
                add(name);
            } catch (const usage_error& problem) {
                warnings.push_back(std::string(problem.what()) + "; this file is left out");
            }
        }
    }
    writer.end_array();
    writer.end_object();
    return writer.text() + '\n';
}

}  // namespace hbm::compare
