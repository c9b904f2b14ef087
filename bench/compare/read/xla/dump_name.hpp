#pragma once
// The names of files in an XLA dump: module_NNNN.MODULE[.TAG]STAGE[-WHAT].txt (xla/service/dump.cc).
//
// TAG is the platform, `cpu_` or `sm_8.0_gpu_`, or `cl_<number>.` on a TPU. Files of one program share all before
// STAGE, except that some stages leave the platform out.

#include <cstdint>
#include <optional>
#include <string_view>

namespace hbm::imported::xla {

/// Content of a file of a dump, the most informative first.
enum class dump_part : std::uint8_t { assignment, report, optimized, before_assignment, config, unoptimized };

/// A name of a file taken apart.
struct dump_name {
    std::string_view stem;  ///< common beginning of the names of a program's files
    dump_part part = dump_part::optimized;
};

/// Parses the name of a file, without its folder. Empty if such files are not read. Cost: O(length).
[[nodiscard]] std::optional<dump_name> read_dump_name(std::string_view name) noexcept;

/// Returns the name of the program in a stem: `jit_step` in `module_0023.jit_step.cl_804429027.`. Cost: O(length).
[[nodiscard]] std::string_view program_name(std::string_view stem) noexcept;

}  // namespace hbm::imported::xla
