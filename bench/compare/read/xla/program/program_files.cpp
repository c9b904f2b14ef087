#include "compare/read/xla/program/program_files.hpp"

#include <utility>

#include "compare/read/reading.hpp"
#include "compare/read/xla/assignment/read_assignment.hpp"
#include "compare/read/xla/module/read_module.hpp"

namespace hbm::imported::xla {

std::string short_name(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

namespace {

template <class Value>
std::optional<trace::read_error> keep(reading<Value> found, std::optional<from_file<Value>>& where, std::string file,
                                      std::string_view what) {
    if (!found) return found.error();
    if (where)
        return trace::read_error{std::move(file), 0, 0, "a second " + std::string(what),
                                 "one for each program; the first is " + where->file};
    where = {std::move(*found), std::move(file)};
    return std::nullopt;
}

/// Returns the preference of a module: scheduled ones are best, those with the shapes of whole arrays worst.
int rank(const hlo_module& of) noexcept {
    return of.has_whole_arrays ? 0 : of.is_scheduled ? 3 : of.is_tiled ? 2 : 1;
}

}  // namespace

std::optional<trace::read_error> add_file(program_files& into, file_kind kind, std::string_view text,
                                          const std::string& file) {
    switch (kind) {
    case file_kind::assignment:
        return keep(read_assignment(text, file), into.assignment, file, "buffer assignment");
    case file_kind::report:
        return keep(read_memory_report(text, file), into.report, file, "memory usage report");
    case file_kind::config:
        return keep(read_module_config(text, file), into.config, file, "module configuration");
    case file_kind::module: {
        reading<hlo_module> found = read_module(text, file);
        if (!found) return found.error();
        from_file<hlo_module> made{std::move(*found), file};
        if (!into.module) {
            into.module = std::move(made);
            return std::nullopt;
        }
        if (rank(made.value) > rank(into.module->value)) std::swap(made, *into.module);
        return keep(reading<hlo_module>(std::move(made.value)), into.unoptimized, made.file, "module beside another");
    }
    default:
        break;
    }
    return trace::read_error{file, 0, 0, std::string(kind_in_words(kind)),
                             "a file of an XLA dump: a buffer assignment, a memory usage report or a module"};
}

}  // namespace hbm::imported::xla
