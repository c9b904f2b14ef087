#pragma once
// The files of a dump that belong to the same program.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/assignment.hpp"
#include "compare/read/xla/module.hpp"

namespace hbm::imported {

/// Content of a file of a dump, the most informative first.
enum class dump_part : std::uint8_t { assignment, optimized, before_assignment, unoptimized };

/// A name of a file in an XLA dump taken apart: module_NNNN.MODULE[.TAG]STAGE[-WHAT].txt (xla/service/dump.cc). TAG is
/// the platform, `cpu_` or `sm_8.0_gpu_`, or `cl_<number>.` on a TPU. Files of one program share all before STAGE,
/// except that some stages leave the platform out.
struct dump_name {
    std::string_view stem;  ///< common beginning of the names of a program's files
    dump_part part = dump_part::optimized;
};

/// Parses the name of a file, without its folder. Empty if such files are not read. Cost: O(length).
[[nodiscard]] std::optional<dump_name> read_dump_name(std::string_view name) noexcept;

/// Returns the name of the program in a stem: `jit_step` in `module_0023.jit_step.cl_804429027.`. Cost: O(length).
[[nodiscard]] std::string_view program_name(std::string_view stem) noexcept;

/// Value that was read, and its file for messages.
template <class Value>
struct from_file {
    Value value;
    std::string file;
};

/// Files of a program: at most one of each kind.
struct program_files {
    std::optional<from_file<imported::assignment>> assignment;
    std::optional<from_file<hlo_module>> module;       ///< most compiled module
    std::optional<from_file<hlo_module>> unoptimized;  ///< less compiled module

    /// Returns true if there is an assignment without missing allocations.
    [[nodiscard]] bool has_assignment() const { return assignment && assignment->value.has_all_allocations(); }
    /// Returns true if there is a module with the sizes of one device: its shapes are, or it states the share of any
    /// argument. The others then have bounds.
    /// Cost: O(arguments).
    [[nodiscard]] bool has_module() const;
};

/// Reads a file of a program and adds it to those read before. Throws `read_error`, also for a file without facts about
/// a program and for a second one of its kind. Cost: O(size x log(values)).
void add_file(program_files& target, file_kind kind, std::string_view text, const std::string& file);

}  // namespace hbm::imported
