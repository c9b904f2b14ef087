#pragma once
// The files of a dump that are about the same program.

#include <hbm/imported/file_kind.hpp>
#include <hbm/imported/outcome.hpp>
#include <hbm/imported/xla/assignment.hpp>
#include <hbm/imported/xla/memory_report.hpp>
#include <hbm/imported/xla/module.hpp>
#include <hbm/imported/xla/module_config.hpp>
#include <hbm/imported/xla/read_assignment.hpp>
#include <hbm/imported/xla/read_module.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::imported::xla {

/// What was read, and its file for messages.
template <class Value>
struct from_file {
    Value value;
    std::string file;
};

/// What was read of a program: at most one file of each kind.
struct program_files {
    std::optional<from_file<imported::xla::assignment>> assignment;
    std::optional<from_file<memory_report>> report;
    std::optional<from_file<hlo_module>> module;       ///< the most compiled one
    std::optional<from_file<hlo_module>> unoptimized;  ///< one less compiled, which has the layouts of whole arrays
    std::optional<from_file<module_config>> config;

    /// Whether there is an assignment of which no allocation is missing.
    [[nodiscard]] bool has_assignment() const { return assignment && assignment->value.has_all_allocations(); }
    /// Whether there is a report of which no allocation is missing.
    [[nodiscard]] bool has_report() const { return report && report->value.has_all_allocations(); }
    /// Whether there is a module with the sizes of one device: its shapes are, or it states what share of each argument
    /// a device has. O(arguments).
    [[nodiscard]] bool has_module() const {
        if (!module) return false;
        const auto has_share = [](const program_array& each) { return each.share_bytes.has_value(); };
        const std::vector<program_array>& arguments = module->value.arguments;
        return !module->value.has_whole_arrays ||
               (!arguments.empty() && std::all_of(arguments.begin(), arguments.end(), has_share));
    }
};

/// The name of a file without its folders.
[[nodiscard]] inline std::string short_name(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

namespace program_files_detail {

template <class Value>
std::optional<trace::read_error> keep(outcome<Value> found, std::optional<from_file<Value>>& where, std::string file,
                                      std::string_view what) {
    if (!found) return found.error();
    if (where)
        return trace::read_error{std::move(file), 0, 0, "a second " + std::string(what),
                                 "one for each program; the first is " + where->file};
    where = {std::move(*found), std::move(file)};
    return std::nullopt;
}

/// How much a module says of one device: scheduled ones most, those with the shapes of whole arrays least.
inline int rank(const hlo_module& of) noexcept {
    return of.has_whole_arrays ? 0 : of.is_scheduled ? 3 : of.is_tiled ? 2 : 1;
}

}  // namespace program_files_detail

/// Reads a file of a program and puts it beside those that were read before. Returns what is wrong with it: that it
/// is malformed, of a kind that says nothing of a program, or a second one of its kind. O(size x log(values)).
[[nodiscard]] inline std::optional<trace::read_error> add_file(program_files& into, file_kind kind,
                                                               std::string_view text, const std::string& file) {
    using namespace program_files_detail;
    switch (kind) {
    case file_kind::assignment:
        return keep(read_assignment(text, file), into.assignment, file, "buffer assignment");
    case file_kind::report:
        return keep(read_memory_report(text, file), into.report, file, "memory usage report");
    case file_kind::config:
        return keep(read_module_config(text, file), into.config, file, "module configuration");
    case file_kind::module: {
        outcome<hlo_module> found = read_module(text, file);
        if (!found) return found.error();
        from_file<hlo_module> made{std::move(*found), file};
        if (!into.module) {
            into.module = std::move(made);
            return std::nullopt;
        }
        if (rank(made.value) > rank(into.module->value)) std::swap(made, *into.module);
        return keep(outcome<hlo_module>(std::move(made.value)), into.unoptimized, made.file, "module beside another");
    }
    default:
        break;
    }
    return trace::read_error{file, 0, 0, std::string(kind_in_words(kind)),
                             "a file of an XLA dump: a buffer assignment, a memory usage report or a module"};
}

}  // namespace hbm::imported::xla
