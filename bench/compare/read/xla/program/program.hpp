#pragma once
// What is known of the memory that a program needs on a device, put together from the files that say something of it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/xla/program/program_files.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported::xla {

/// An array in HBM that goes into a program.
struct program_argument {
    std::uint64_t parameter = 0;
    index_path index;                             ///< which array of that parameter
    rounded_size size;                            ///< on the device
    std::optional<std::uint64_t> unpadded_bytes;  ///< of the elements alone
    std::string shape;                            ///< as printed; empty if no file has it
    std::string label = {};                       ///< what the user calls it; empty if no file says it
};

/// An array in HBM that comes out of a program.
struct program_output {
    index_path index;
    rounded_size size;                            ///< on the device
    std::optional<std::uint64_t> unpadded_bytes;  ///< of the elements alone
    std::string shape;                            ///< as printed; empty if no file has it
    std::optional<std::size_t> argument;          ///< position of the argument whose memory it takes over
};

/// What no file says, and where to find it.
struct unknown_fact {
    std::string what;
    std::string remedy;
};

/// What is known of a program.
struct imported_program {
    std::string name;
    std::vector<program_argument> arguments;  ///< by parameter, then by index
    std::vector<program_output> outputs;      ///< by index
    std::vector<std::size_t> donors;          ///< positions of arguments that any output of their size may take over
    std::optional<rounded_size> temporary;    ///< intermediate results
    std::optional<rounded_size> constant;
    std::optional<rounded_size> code;
    bool knows_arguments = false;
    bool knows_outputs = false;
    bool knows_output_indices = true;  ///< false where outputs are only counted: their order says nothing
    std::vector<unknown_fact> unknown;
    std::string donation_file = {};  ///< the file whose description has what can be donated; empty if none has
    std::vector<std::string> notes;  ///< how the files were read, and where they disagree; sentences
};

/// Sums over a program in bytes on the device. What is unknown is left out.
struct program_sums {
    rounded_size arguments;
    rounded_size outputs;       ///< also those that take over an argument
    rounded_size aliases;       ///< outputs that take over an argument
    rounded_size need;          ///< all that a run has in memory: a lower bound if something is unknown
    std::uint64_t padding = 0;  ///< bytes of arguments and outputs that are padding; 0 where that is unknown
};

/// The sums. O(arguments + outputs).
[[nodiscard]] program_sums sums_of(const imported_program& of);

}  // namespace hbm::imported::xla

namespace hbm::imported::xla {

/// Fills in the labels of the arguments from the modules, the most compiled one first. O(arguments x log).
void add_labels(const program_files& from, imported_program& into);

/// Names the file whose description lists all that could be donated: the module, or an assignment that has all outputs.
/// O(path).
void name_donation_file(const program_files& from, imported_program& into);

}  // namespace hbm::imported::xla

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
