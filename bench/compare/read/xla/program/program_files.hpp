#pragma once
// The files of a dump that are about the same program.

#include <hbm/explain/json_writer.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/assignment/memory_report.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/module/module_config.hpp"

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
[[nodiscard]] std::string short_name(std::string_view path);

/// Reads a file of a program and puts it beside those that were read before. Returns what is wrong with it: that it
/// is malformed, of a kind that says nothing of a program, or a second one of its kind. O(size x log(values)).
[[nodiscard]] std::optional<trace::read_error> add_file(program_files& into, file_kind kind, std::string_view text,
                                                        const std::string& file);

}  // namespace hbm::imported::xla
