#include <filesystem>
#include <string_view>
#include <system_error>

#include "compare/answers/answers.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/read/description.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/text/usage_error.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

namespace {

using imported::file_kind;

/// Function that reads and describes a text of one kind; `file` is for messages.
using describer = imported::reading<imported::description>(std::string_view text, const std::string& file);

/// Kind of file, with its reader.
struct described_kind {
    file_kind kind;
    describer* describe;
};

/// Reads a text and describes its value.
template <auto Read>
imported::reading<imported::description> read_and_describe(std::string_view text, const std::string& file) {
    const auto found = Read(text, file);
    if (!found) return found.error();
    return describe(*found);
}

constexpr described_kind described_kinds[] = {
    {file_kind::module, imported::xla::describe_module},
    {file_kind::profile, imported::describe_profile},
    {file_kind::assignment, &read_and_describe<&imported::xla::read_assignment>},
    {file_kind::message, imported::describe_message},
};

imported::reading<imported::description> describe(const imported_file& file) {
    for (const described_kind& each : described_kinds)
        if (each.kind == file.kind) return each.describe(file.text, file.path);
    return trace::read_error{file.path, 0, 0, std::string(imported::kind_in_words(file.kind)),
                             "an HLO module, a buffer assignment, an out-of-memory message or a "
                             "device memory profile of JAX"};
}

}  // namespace

std::string describe_files(const std::vector<std::string>& files, std::vector<std::string>& warnings) {
    json_writer writer;
    writer.begin_object();
    writer.field("schema", "hbm-describe/1");
    writer.begin_array("files");
    const auto add = [&](const std::string& path) {
        const imported::reading<imported_file> file = read_imported_file(path);
        if (!file) throw usage_error(file.error().message());
        const imported::reading<imported::description> description = describe(*file);
        if (!description) throw usage_error(description.error().message());
        imported::write_description(writer, path, *description);
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
