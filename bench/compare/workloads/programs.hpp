#pragma once

/// Programs of XLA dumps as a workload: all that --program names run on one device.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/command_line/program_option.hpp"
#include "compare/workloads/program_workload.hpp"

namespace hbm::compare {

/// Reads the files of each program: the given ones, and those in the same folder whose names say that they are of the
/// same program. Returns what is wrong, or an empty text. Files in the folder that cannot be read are left out with a
/// warning.
[[nodiscard]] std::string read_programs(const std::vector<program_request>& asked,
                                        std::vector<imported::scheduled_program>& into,
                                        std::vector<std::string>& warnings);

/// What a person should know of programs beside the figures: what each needs, what is unknown, how its files were read,
/// what donation would save and what padding takes. Each is a sentence or more; lines after the first are set already.
/// `capacity` in bytes; 0 without one.
[[nodiscard]] std::vector<std::string> program_notes(const std::vector<imported::scheduled_program>& of,
                                                     std::uint64_t capacity);

/// The name of a program, cut where it is long; TensorFlow gives names of more than a line.
[[nodiscard]] std::string program_label(const imported::scheduled_program& of);

/// What the programs need together, and which generations of TPU have that much: a sentence or more, for a person who
/// has asked for nothing else. `min_bytes`: a lower bound of what their replay needs, with sizes as the files say them;
/// `capacity` in bytes, 0 without one; `is_assumed`: nobody gave it. O(programs).
[[nodiscard]] std::string program_verdict(const std::vector<imported::scheduled_program>& of, std::uint64_t min_bytes,
                                          std::uint64_t capacity, bool is_assumed);

}  // namespace hbm::compare
