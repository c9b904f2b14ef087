#pragma once

/// The value of --program: a file of an XLA dump, and how its program runs.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/xla/program/program.hpp"

namespace hbm::compare {

/// A program to be read from files.
struct program_request {
    std::string text;                 ///< the value of the option as given
    std::string file;                 ///< a file of the program
    std::vector<std::string> others;  ///< further files of the same program
    std::string name;                 ///< empty: as the files say
    std::uint64_t runs = 3;
    std::uint64_t every = 1;
    imported::donation_choice donation = imported::donation_choice::as_is;
    bool shares = false;  ///< its arguments are those of the programs before, where they have the same size and shape
    std::optional<std::uint64_t> code;  ///< bytes, where the user knows what no file says
    std::optional<std::uint64_t> temp;  ///< likewise

    friend bool operator==(const program_request&, const program_request&) = default;
};

/// Reads `FILE[:key=value,...]`. A path may hold colons: keys begin at the first colon that a word and `=` follow.
/// Returns what was expected instead, or an empty text.
[[nodiscard]] std::string read_program_request(std::string_view text, program_request& into);

}  // namespace hbm::compare
