#pragma once

/// The value of --program: a file of an XLA dump, and the schedule of its program.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/xla/program/program.hpp"

namespace hbm::compare {

/// Program to be read from files.
struct program_request {
    std::string text;                 ///< value of the option as given
    std::string file;                 ///< file of the program
    std::vector<std::string> others;  ///< further files of the same program
    std::string name;                 ///< name of the program; empty: as in the files
    std::uint64_t runs = 3;
    std::uint64_t every = 1;
    imported::donation_choice donation = imported::donation_choice::as_is;
    bool shares = false;  ///< true if it shares arguments of the same size and shape with earlier programs
    std::optional<std::uint64_t> code;  ///< bytes of code from the user, if no file states them
    std::optional<std::uint64_t> temp;  ///< bytes of temporaries from the user, if no file states them

    friend bool operator==(const program_request&, const program_request&) = default;
};

/// Reads `FILE[:key=value,...]`. A path may hold colons: keys begin at the first colon that a word and `=` follow.
/// Returns the expected text, or an empty one.
[[nodiscard]] std::string read_program_request(std::string_view text, program_request& into);

}  // namespace hbm::compare
