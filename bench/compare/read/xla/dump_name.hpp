#pragma once
// The names of files in an XLA dump: module_NNNN.MODULE[.TAG]STAGE[-WHAT].txt (xla/service/dump.cc).
//
// TAG is the platform, `cpu_` or `sm_8.0_gpu_`, or `cl_<number>.` on a TPU. Files of one program share all before
// STAGE, except that some stages leave the platform out.

#include <cstdint>
#include <optional>
#include <string_view>

namespace hbm::imported::xla {

/// What a file of a dump holds, the most telling first.
enum class dump_part : std::uint8_t { assignment, report, optimized, before_assignment, config, unoptimized };

/// A name of a file taken apart.
struct dump_name {
    std::string_view stem;  ///< what the files of a program share
    dump_part part = dump_part::optimized;
};

/// Takes the name of a file apart, without its folder. Empty if it is not the name of a file that is read. O(length).
[[nodiscard]] std::optional<dump_name> read_dump_name(std::string_view name) noexcept;

/// The name of the program in a stem: `jit_step` in `module_0023.jit_step.cl_804429027.`. O(length).
[[nodiscard]] std::string_view program_name(std::string_view stem) noexcept;

}  // namespace hbm::imported::xla
