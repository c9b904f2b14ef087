#pragma once
// Which output of a program becomes which of its arguments in the next step.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/read/xla/program/program.hpp"

namespace hbm::imported {

/// Which arguments the outputs of a program take over.
enum class donation_choice : std::uint8_t {
    as_is,  ///< as the program was compiled
    all,    ///< every argument that an output of its size replaces
    none,
};

/// The argument that an output becomes in the next step.
struct step_pair {
    std::optional<std::size_t> argument;  ///< its position; empty if the output only replaces that of the step before
    bool is_donated = false;              ///< the output takes over the argument's memory
};

/// For each output of the program, in order, its argument. Aliases come first, then donated arguments of the output's
/// size; then arguments of its size and shape, then arguments of its size; among equals the first. O(n log n).
[[nodiscard]] std::vector<step_pair> pair_steps(const xla::imported_program& of, donation_choice donation);

}  // namespace hbm::imported
