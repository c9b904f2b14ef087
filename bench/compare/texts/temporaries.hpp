#pragma once
/// Temporaries of a program at their peak, and the cost of their packing.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/read/xla/program.hpp"

namespace hbm::compare {

/// Temporaries of equal size, shape and name.
struct temporary_group {
    const imported::temporary_value* first = nullptr;
    std::uint64_t count = 0;
};

/// Temporaries of a program where most of them are live, and packings of all of them.
struct temporaries_use {
    std::uint64_t peak_at = 0;            ///< number of the instruction
    std::uint64_t peak_bytes = 0;         ///< bytes that are live there
    std::vector<temporary_group> groups;  ///< groups that are live there, those with the most bytes first
    std::uint64_t height = 0;             ///< bytes of XLA's packing
    std::uint64_t best = 0;               ///< bytes of the best packing found; 0 if none was
    std::uint64_t bound = 0;              ///< bytes that every packing needs
};

/// Returns the use of temporaries of a program with their lives. Blocks are aligned as all of XLA's offsets are.
/// Requires: `program.temporaries` is not empty. Cost: O(n^2) for n values, and a packing of some hundredths of a
/// second.
[[nodiscard]] temporaries_use use_of_temporaries(const imported::imported_program& program);

/// Returns the use as a note about the program `name`, its lines after the first indented.
[[nodiscard]] std::string temporaries_note(const temporaries_use& use, const std::string& name);

}  // namespace hbm::compare
