#pragma once

/// Programs of XLA dumps as a workload: all programs of --program run on one device.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/workloads/program_workload.hpp"

namespace hbm::compare {

/// Reads the files of each program: the given ones, and those of the same program in the same folder, by their names.
/// A folder stands for all programs of the dump in it. Files next to the given ones, and programs of a folder, that
/// cannot be read are left out with a warning. Throws `usage_error` for others.
void read_programs(const std::vector<program_request>& settings, std::vector<imported::scheduled_program>& target,
                   std::vector<std::string>& warnings);

/// Returns the files of the dump in a folder, those of a program together. Cost: O(n log n) for n files.
[[nodiscard]] std::vector<std::string> dump_files_in(const std::string& folder);

/// Returns the error for a folder without a dump.
[[nodiscard]] std::string no_dump_in(const std::string& folder);

/// Returns notes on programs in addition to the figures: needs, unknown sizes, files, temporaries, savings of donation
/// and cost of padding. Each note is a sentence or more; lines after the first are already indented.
[[nodiscard]] std::vector<std::string> program_notes(const std::vector<imported::scheduled_program>& programs);

/// Returns the name of a program for sentences: `name`, cut if it is long. TensorFlow gives names of more than a line.
[[nodiscard]] std::string program_label(const std::string& name);

/// Returns the joint need of the programs, and the generations of TPU with that much memory, in sentences. It serves
/// command lines without further options. `min_bytes`: a lower bound of what their replay needs, with sizes as in the
/// files; `capacity` in bytes, 0 without one; `is_assumed`: true if the capacity is not from the command line.
/// Cost: O(programs).
[[nodiscard]] std::string program_verdict(const std::vector<imported::scheduled_program>& programs,
                                          std::uint64_t min_bytes, std::uint64_t capacity, bool is_assumed);

}  // namespace hbm::compare
