#include <hbm/explain/filled_text.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/answers/answers.hpp"
#include "compare/answers/states/state.hpp"
#include "compare/answers/states/texts.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/errors.hpp"
#include "compare/command_line/file_options.hpp"
#include "compare/growth/growth.hpp"
#include "compare/read/xla/program/program.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/programs.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace texts = change_texts;

namespace {

/// Reads the contents at the end of a profile, a snapshot or a trace, by tag. Blocks have the bytes of the file.
std::string read_trace_contents(const options& settings, const source& from, memory_contents& target,
                                std::vector<std::string>& warnings) {
    options alone = settings;
    alone.sources = {from};
    alone.programs.clear();
    std::vector<scenario> scenarios;
    if (std::string problem = gather_workloads(alone, scenarios, warnings); !problem.empty())
        return with_option(settings, problem);
    const growth_summary summary = trace::growth_of(scenarios.front().load, trace::exact_sizes);
    for (const tag_growth& tag : summary.tags) {
        if (tag.at_end.count == 0) continue;
        const std::string_view name = tag.is_programs  ? texts::programs
                                      : tag.is_several ? texts::further_tags
                                                       : std::string_view(tag.name);
        target.add(std::string(name), tag.at_end.bytes, tag.at_end.count);
    }
    return {};
}

/// Returns the name of an argument: the user's, or its number and shape.
std::string name_of(const imported::xla::program_argument& argument) {
    return filled(argument.label.empty() ? texts::numbered_argument : texts::named_argument,
                  {{"name", argument.label},
                   {"number", argument.parameter},
                   {"shape", imported::xla::without_layouts(argument.shape)}});
}

/// Adds the arrays of a program. `is_named`: their names begin with that of the program.
void add_program(const imported::scheduled_program& program, bool is_named, memory_contents& target) {
    const auto add = [&](const std::string& name, std::uint64_t bytes) {
        target.add(is_named ? filled(texts::in_program, {{"program", program.name}, {"name", name}}) : name, bytes, 1);
    };
    for (const auto& array : program.what.arguments) add(name_of(array), array.size.bytes);
    for (const auto& array : program.what.outputs)
        if (!array.argument)
            add(filled(texts::output, {{"shape", imported::xla::without_layouts(array.shape)}}), array.size.bytes);
    const std::pair<const char*, const std::optional<imported::rounded_size>*> parts[] = {
        {"temporaries", &program.what.temporary}, {"constants", &program.what.constant}, {"code", &program.what.code}};
    for (const auto& [name, size] : parts)
        if (*size && (*size)->bytes != 0) add(name, (*size)->bytes);
}

/// Reads the needs of a program, by array; of a folder, those of all programs, by program and array.
std::string read_program_contents(const program_request& from, memory_contents& target,
                                  std::vector<std::string>& warnings) {
    std::vector<imported::scheduled_program> programs;
    if (std::string problem = read_programs({from}, programs, warnings); !problem.empty()) return problem;
    for (const imported::scheduled_program& program : programs) add_program(program, programs.size() != 1, target);
    return {};
}

}  // namespace

int tell_changes(const options& settings) {
    if (const std::string problem = find_beside_changes(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    memory_contents before{settings.before, {}};
    memory_contents now;
    std::vector<std::string> warnings;
    std::string problem;
    if (settings.programs.empty()) {
        now.file = settings.sources.front().text;
        problem = read_trace_contents(settings, {.text = settings.before}, before, warnings);
        if (problem.empty()) problem = read_trace_contents(settings, settings.sources.front(), now, warnings);
    } else {
        program_request earlier = settings.programs.front();
        now.file = earlier.file;
        earlier.file = settings.before;
        problem = read_program_contents(earlier, before, warnings);
        if (problem.empty()) problem = read_program_contents(settings.programs.front(), now, warnings);
    }
    if (!problem.empty()) return print_error(problem, exit_status::invalid);
    print_warnings(settings, warnings);
    return settings.format == output_format::json ? deliver(settings, changes_json(before, now))
                                                  : deliver_text(settings, changes_text(before, now));
}

}  // namespace hbm::compare
