#include "compare/command_line/overwritten.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace hbm::compare {

namespace {

/// A file that is written: its option and path.
using written_file = std::pair<std::string_view, std::string_view>;

std::vector<written_file> outputs_of(const options& asked) {
    std::vector<written_file> made;
    for (const written_file& each :
         {written_file{"-o", asked.output}, written_file{"--on-oom", asked.on_oom},
          written_file{"--perfetto", asked.perfetto}, written_file{"--snapshot", asked.snapshot},
          written_file{"--pprof", asked.pprof}, written_file{"--series", asked.series},
          written_file{"--save", asked.save}, written_file{"--html", asked.html}})
        if (!each.second.empty()) made.push_back(each);
    return made;
}

/// Whether nothing is mixed on stdout if `option` writes there too. People may read explanations and then the table;
/// what programs read is alone.
bool may_go_to_stdout(const options& asked, std::string_view option) {
    if (option == "-o") return true;
    const bool is_alone = !asked.output.empty() && asked.output != "-";
    const bool is_for_people = asked.format == output_format::table || asked.format == output_format::md;
    return option == "--on-oom" && (is_alone || is_for_people);
}

/// The files that are read, each with what it is.
std::vector<std::pair<std::string, std::string>> inputs(const options& asked) {
    std::vector<std::pair<std::string, std::string>> made;
    for (const program_request& each : asked.programs) {
        made.emplace_back(each.file, "a file of a program");
        for (const std::string& other : each.others) made.emplace_back(other, "a file of a program");
    }
    for (const source& each : asked.sources)
        if (!each.is_generated) made.emplace_back(each.text, "the trace itself");
    if (!asked.sweep.empty()) made.emplace_back(asked.sweep, "the description of the sweep");
    for (const std::string& each : asked.merge) made.emplace_back(each, "a shard itself");
    for (const std::string& each : asked.described) made.emplace_back(each, "a file to be described");
    for (const std::string* each : {&asked.message, &asked.before})
        if (!each->empty()) made.emplace_back(*each, "the message itself");
    return made;
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    if (std::filesystem::equivalent(a, b, error)) return true;
    const auto whole = [&](const std::string& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    };
    const std::filesystem::path first = whole(a);
    return !first.empty() && first == whole(b);
}

std::string find_overwritten(const options& asked) {
    const std::vector<written_file> written = outputs_of(asked);
    for (const auto& [option, path] : written)
        if (path == "-" && !may_go_to_stdout(asked, option))
            return std::string(option) + ": found -, expected the path of a file: stdout is for the comparison";
    for (auto each = written.begin(); each != written.end(); ++each) {
        const std::string path(each->second);
        for (const auto& [file, what] : inputs(asked))
            if (same_file(file, path)) return path + ": found " + what + ", expected a path that may be overwritten";
        for (auto other = written.begin(); other != each; ++other)
            if (same_file(std::string(other->second), path))
                return path + ": found the path of " + std::string(other->first) + ", expected another one for " +
                       std::string(each->first);
    }
    return {};
}

}  // namespace hbm::compare
