#include "compare/read/xla/program/program_disagreements.hpp"

#include <hbm/explain/words.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/read/xla/assignment/memory_classes.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported::xla {

namespace {

/// A size and the file that states it.
struct stated_size {
    rounded_size size;
    std::string_view file;
};

/// Notes it if no size can be meant by both. The first counts.
void check(imported_program& program, std::string_view what, const stated_size& used, const stated_size& other) {
    if (used.size.low <= other.size.high && other.size.low <= used.size.high) return;
    program.notes.push_back("the files disagree on the bytes of " + std::string(what) + ": " +
                            grouped_digits(used.size.bytes) + " in " + short_name(used.file) + ", which counts, and " +
                            grouped_digits(other.size.bytes) + " in " + short_name(other.file) +
                            "; are they of the same program and build?");
}

/// An assignment and a report have the same allocations.
void check_report(imported_program& program, const program_files& files) {
    const memory_classes one = classify(files.assignment->value.allocations);
    const memory_classes other = classify(files.report->value.allocations);
    const auto compare = [&](std::string_view what, const rounded_size& left, const rounded_size& right) {
        check(program, what, {left, files.assignment->file}, {right, files.report->file});
    };
    compare("arguments", one.argument, other.argument);
    compare("outputs", one.output, other.output);
    compare("outputs in place of arguments", one.alias, other.alias);
    compare("temporaries", one.temporary, other.temporary);
    compare("constants", one.constant, other.constant);
}

/// A module has the same arguments and outputs.
void check_module(imported_program& program, const program_files& files) {
    const module_sums stated = sums_of(files.module->value);
    const program_sums found = sums_of(program);
    const std::string_view used = files.has_assignment() ? files.assignment->file : files.report->file;
    const auto compare = [&](std::string_view what, const rounded_size& left, std::uint64_t right) {
        check(program, what, {left, used}, {{right, right, right}, files.module->file});
    };
    compare("arguments", found.arguments, stated.arguments);
    if (!program.knows_outputs) return;
    compare("outputs", found.outputs, stated.outputs);
    compare("outputs in place of arguments", found.aliases, stated.aliases);
}

}  // namespace

void add_disagreements(const program_files& files, imported_program& program) {
    if (files.has_assignment() && files.has_report()) check_report(program, files);
    const bool is_compiled = files.module && !files.module->value.has_whole_arrays &&
                             (files.module->value.is_scheduled || files.module->value.is_tiled);
    if (is_compiled && (files.has_assignment() || files.has_report())) check_module(program, files);
}

}  // namespace hbm::imported::xla
