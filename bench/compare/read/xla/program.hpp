#pragma once
// Memory that a program needs on a device, joined from its files. Each fact comes from the file that states it most
// exactly: arguments and outputs from the buffer assignment, else from the most compiled module.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/read/xla/program_files.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// Argument of a program in HBM.
struct program_argument {
    std::uint64_t parameter = 0;
    index_path index;                             ///< index of the array in that parameter
    rounded_size size;                            ///< size on the device; bounds if no file states a device's share
    std::optional<std::uint64_t> unpadded_bytes;  ///< size of the elements alone
    std::string shape;                            ///< shape as printed; empty if no file has it
    std::string label = {};                       ///< the user's name for it; empty if no file has it
};

/// Output of a program in HBM.
struct program_output {
    index_path index;
    rounded_size size;                            ///< size on the device
    std::optional<std::uint64_t> unpadded_bytes;  ///< size of the elements alone
    std::string shape;                            ///< shape as printed; empty if no file has it
    std::optional<std::size_t> argument;          ///< position of the argument whose memory it takes over
};

/// Intermediate result in the memory for temporaries.
struct temporary_value {
    std::string name;  ///< operation and source line if a module states them, else the name of the instruction
    std::string shape;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  ///< offset in that memory
    std::uint64_t begin = 0;   ///< first instruction of its life, in the order of execution
    std::uint64_t end = 0;     ///< last instruction of its life
};

/// Fact that no file states, and a remedy.
struct unknown_fact {
    std::string what;
    std::string remedy;
};

/// Memory of a program, with its gaps.
struct imported_program {
    std::string name;
    std::vector<program_argument> arguments;  ///< arguments by parameter, then by index
    std::vector<program_output> outputs;      ///< outputs by index
    std::vector<std::size_t> donors;          ///< positions of arguments that any output of their size may take over
    std::optional<rounded_size> temporary;    ///< intermediate results
    std::vector<temporary_value> temporaries = {};  ///< values of the largest range of temporaries, if their lives are
                                                    ///< stated; values in one place, one after the other, are one
    std::uint64_t temporaries_height = 0;           ///< bytes of that range
    std::optional<rounded_size> constant;
    std::optional<rounded_size> code;
    bool knows_outputs = false;
    bool knows_output_indices = true;  ///< false if outputs are only counted: their order is then meaningless
    std::vector<unknown_fact> unknown;
    std::string donation_file = {};  ///< file whose description lists possible donations; empty if none does
    std::vector<std::string> notes;  ///< sentences about the reading of the files and their disagreements
};

/// Returns the program of these files. Throws `read_error` if none states the memory of one device.
/// Cost: O((arguments + outputs + allocations) x log).
[[nodiscard]] imported_program join_program(const program_files& from);

/// Sums over a program in bytes on the device. Unknown sizes are left out.
struct program_sums {
    rounded_size arguments;
    rounded_size outputs;       ///< all outputs, including those that take over an argument
    rounded_size aliases;       ///< outputs that take over an argument
    rounded_size need;          ///< memory of a whole run: a lower bound if some part is unknown
    std::uint64_t padding = 0;  ///< padding of arguments and outputs; 0 if unknown
};

/// Returns the sums. Cost: O(arguments + outputs).
[[nodiscard]] program_sums sums_of(const imported_program& subject);

/// Choice of the arguments that the outputs of a program take over.
enum class donation_choice : std::uint8_t {
    as_is,  ///< donations of the compiled program
    named,  ///< donations of the compiled program, and arguments that the user names
    all,    ///< every argument that an output of its size replaces
    none,
};

/// Argument that an output becomes in the next step.
struct step_pair {
    std::optional<std::size_t> argument;  ///< its position; empty if the output only replaces that of the step before
    bool is_donated = false;              ///< true if the output takes over the argument's memory
};

/// Returns the argument of each output of the program, in order. Aliases come first, then donated arguments of the
/// output's size; then arguments of its size and shape, then arguments of its size. Ties go to the first.
/// Cost: O(n log n).
[[nodiscard]] std::vector<step_pair> pair_steps(const imported_program& subject, donation_choice donation);

}  // namespace hbm::imported
