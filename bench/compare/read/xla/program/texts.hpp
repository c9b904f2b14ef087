#pragma once

/// Every note on the files of a program, with placeholders in braces.

#include <string_view>

namespace hbm::imported::xla::program_texts {

inline constexpr std::string_view argument_on_host = "1 argument in the memory of the host is left out";
inline constexpr std::string_view arguments_on_host = "{count} arguments in the memory of the host are left out";
inline constexpr std::string_view allocations_on_host = "{bytes} of allocations in the memory of the host are left out";
inline constexpr std::string_view first_module =
    "{file} holds {modules}; this is the first, {module}. The next is {next}: bring each in a file of its own";
inline constexpr std::string_view whole_arrays =
    "{file} has the shapes of whole arrays, which {devices} share; each was divided by the sharding that its "
    "instruction states";
inline constexpr std::string_view without_tiles =
    "{file} is not optimized and has no tiles: a TPU may pad its arrays to more bytes";
inline constexpr std::string_view unknown_sharding =
    "the sharding of {arguments} is not stated: one device holds {least} to {most}, and the larger size counts";
/// Without and with a label.
inline constexpr std::string_view argument[] = {"argument {number} ({shape})", "argument {number} ({shape}, {label})"};
inline constexpr std::string_view disagreement =
    "the files disagree on the bytes of {what}: {used} in {used_file}, which counts, and {other} in {other_file}; are "
    "they of the same program and build?";
inline constexpr std::string_view bring_assignment =
    "set XLA_FLAGS=--xla_dump_to=FOLDER and bring the *after_optimizations-buffer-assignment.txt of this program";
inline constexpr std::string_view print_code =
    "no file of a dump has it; compiled.memory_analysis() in JAX prints it as generated_code_size_in_bytes";

}  // namespace hbm::imported::xla::program_texts
