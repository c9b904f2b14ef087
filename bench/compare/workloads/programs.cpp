#include "compare/workloads/programs.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "compare/read/read_error.hpp"
#include "compare/read/read_file.hpp"
#include "compare/read/xla/program.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::compare {

namespace {

using imported::dump_part;

/// File of a dump next to the given one.
struct sibling {
    std::string path;
    dump_part part = dump_part::optimized;
};

/// Files of a dump by program, those of a program the most informative first.
using dump_files = std::map<std::string, std::vector<sibling>>;

dump_files files_in(const std::filesystem::path& folder, bool is_named) {
    dump_files dump;
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        const auto parts = imported::read_dump_name(name);
        std::error_code unknown;
        if (!parts || !at->is_regular_file(unknown)) continue;
        const std::filesystem::path path = is_named ? folder / name : std::filesystem::path(name);
        dump[std::string(parts->stem)].push_back({path.string(), parts->part});
    }
    // A folder has no order of its own.
    for (auto& [stem, files] : dump)
        std::sort(files.begin(), files.end(), [](const sibling& left, const sibling& right) {
            return std::pair(left.part, left.path) < std::pair(right.part, right.path);
        });
    return dump;
}

/// Returns the other files of the same program in the folder of `file`, the most informative first.
std::vector<sibling> find_siblings(const std::string& file) {
    const std::filesystem::path given(file);
    const std::string name = given.filename().string();
    const auto own = imported::read_dump_name(name);
    if (!own) return {};
    dump_files all = given.has_parent_path() ? files_in(given.parent_path(), true) : files_in(".", false);
    std::vector<sibling> siblings = std::move(all[std::string(own->stem)]);
    std::erase_if(siblings, [&](const sibling& entry) { return std::filesystem::path(entry.path).filename() == name; });
    return siblings;
}

void add(imported::program_files& files, const std::string& path) {
    const imported_file file = read_imported_file(path);
    imported::add_file(files, file.kind, file.text, path);
}

/// Returns true if a file would add nothing to those already read.
bool is_needless(const imported::program_files& files, dump_part part) {
    const bool has_compiled = files.module && files.module->value.is_scheduled;
    switch (part) {
    case dump_part::assignment: return files.assignment.has_value();
    case dump_part::optimized:
    case dump_part::before_assignment: return has_compiled;
    case dump_part::unoptimized: return has_compiled || files.has_assignment() || files.unoptimized.has_value();
    }
    return true;
}

/// Programs read so far, with distinct names.
class named_programs {
public:
    explicit named_programs(std::vector<imported::scheduled_program>& target) : target_(target) {
        for (const imported::scheduled_program& entry : target) taken_.insert(entry.name);
    }

    [[nodiscard]] std::size_t size() const noexcept { return target_.size(); }

    /// Appends a program under its name, with a number if another has it. Cost: O(log n) on average.
    void add(imported::scheduled_program program) {
        const std::string name = program.name;
        for (std::size_t& count = counts_[name]; !taken_.insert(program.name).second;)
            program.name = name + '#' + std::to_string(++count + 1);
        target_.push_back(std::move(program));
    }

private:
    std::vector<imported::scheduled_program>& target_;
    std::set<std::string> taken_;
    std::map<std::string, std::size_t> counts_;  // numbers tried behind each name
};

/// Returns the name of the program: a token without commas and slashes.
std::string name_of(const program_request& program, const imported::imported_program& what) {
    std::string name = program.name.empty() ? what.name : program.name;
    if (name.empty()) {
        const std::string file = std::filesystem::path(program.file).filename().string();
        const auto parts = imported::read_dump_name(file);
        name = parts ? std::string(imported::program_name(parts->stem)) : file;
    }
    constexpr std::size_t longest = 200;  // each buffer of the program repeats it
    name.resize(first_characters(name, longest).size());
    for (char& entry : name)
        if (entry == ',' || entry == '/' || static_cast<unsigned char>(entry) <= ' ' || entry == '\x7f') entry = '_';
    return name;
}

/// Adds a program out of its files.
void add_program(const program_request& request, const imported::program_files& files, named_programs& target) {
    imported::scheduled_program program;
    program.what = imported::join_program(files);
    program.name = name_of(request, program.what);
    program.runs = request.runs;
    program.every = request.every;
    program.donation = request.donation;
    program.shares_arguments = request.shares;
    std::vector<bool> is_taken(program.what.arguments.size(), false);
    for (const imported::program_output& output : program.what.outputs)
        if (output.argument) is_taken[*output.argument] = true;
    imported::add_donors(request.donated, program.what.arguments, std::move(is_taken), program.what.donors,
                         request.file);
    if (request.code) {
        program.what.code = imported::exactly(*request.code);
        std::erase_if(program.what.unknown, [](const auto& entry) { return entry.what == "code"; });
    }
    if (request.temp) {
        program.what.temporary = imported::exactly(*request.temp);
        for (auto& entry : program.what.unknown)
            if (entry.what == "temporaries and constants") entry.what = "constants";
    }
    target.add(std::move(program));
}

/// Reads a program from its file and the others next to it; of a text with several modules, a program for each.
void read_program(const program_request& request, const std::vector<sibling>& siblings, named_programs& target,
                  std::vector<std::string>& warnings) {
    const imported_file first = read_imported_file(request.file);
    std::vector<std::string> modules;
    if (first.kind == imported::file_kind::module) modules = imported::modules_in(first.text);
    if (modules.size() > 1) {
        for (const std::string& text : modules) {
            imported::program_files files;
            imported::add_file(files, first.kind, text, request.file);
            add_program(request, files, target);
        }
        return;
    }
    imported::program_files files;
    imported::add_file(files, first.kind, first.text, request.file);
    for (const std::string& path : request.others) add(files, path);
    for (const sibling& entry : siblings) {
        if (is_needless(files, entry.part)) continue;
        if (std::find(request.others.begin(), request.others.end(), entry.path) != request.others.end()) continue;
        try {
            add(files, entry.path);
        } catch (const usage_error& error) {
            warnings.push_back(std::string(error.what()) + "; it is left out");
        }
    }
    add_program(request, files, target);
}

/// Reads all programs of the dump in a folder.
void read_folder(const program_request& request, named_programs& target, std::vector<std::string>& warnings) {
    const std::size_t before = target.size();
    const dump_files all = files_in(request.file, true);
    if (!request.donated.empty() && all.size() > 1)
        throw usage_error(request.file + ": found a dump of " + trace::decimal(all.size()) +
                          " programs, expected the file of one: the numbers of donate= are those of its arguments");
    for (const auto& [stem, files] : all) {
        program_request program = request;
        program.file = files.front().path;
        try {
            read_program(program, {files.begin() + 1, files.end()}, target, warnings);
        } catch (const usage_error& error) {
            if (!request.donated.empty()) throw;  // of the only program
            warnings.push_back(std::string(error.what()) + "; this program is left out");
        }
    }
    if (target.size() == before) throw usage_error(no_dump_in(request.file));
}

}  // namespace

std::vector<std::string> dump_files_in(const std::string& folder) {
    std::vector<std::string> paths;
    for (const auto& [stem, files] : files_in(folder, true))
        for (const sibling& file : files) paths.push_back(file.path);
    return paths;
}

std::string no_dump_in(const std::string& folder) {
    return trace::read_error(folder, "a folder without a program of an XLA dump",
                             "a folder with files such as module_0001.jit_step.after_optimizations.txt")
        .what();
}

void read_programs(const std::vector<program_request>& settings, std::vector<imported::scheduled_program>& target,
                   std::vector<std::string>& warnings) {
    named_programs programs(target);
    for (const program_request& request : settings) {
        std::error_code error;
        if (std::filesystem::is_directory(request.file, error))
            read_folder(request, programs, warnings);
        else
            read_program(request, find_siblings(request.file), programs, warnings);
    }
}

}  // namespace hbm::compare
