#pragma once
// Memory of a program according to the text of an HLO module: its arguments, its outputs, and those that share memory.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/xla/donation.hpp"
#include "compare/read/xla/shape.hpp"

namespace hbm::imported {

/// Argument or output of a program.
struct program_array {
    std::uint64_t parameter = 0;  ///< the number of the parameter; 0 for outputs
    index_path index;             ///< index in the tuple, if the parameter or the result is one
    array_shape shape;
    std::string text;                  ///< the shape as printed
    std::uint64_t bytes = 0;           ///< size on the device, with padding
    std::uint64_t unpadded_bytes = 0;  ///< size of the elements alone
    std::optional<array_shape> share;  ///< one device's share, if the shapes are of whole arrays and the text states it
    std::optional<std::uint64_t> share_bytes;  ///< size of `share`, with padding
    std::string label;                         ///< the user's name for it, such as params['w']; empty if not stated

    /// Returns true if the array lies in the device's main memory.
    [[nodiscard]] bool in_device_memory() const noexcept { return shape.memory_space == device_memory_space; }
};

/// Origin of an instruction in the user's program.
struct instruction_origin {
    std::string operation;  ///< such as jit(step)/dot_general; empty if not stated
    std::string source;     ///< such as model.py:7, without folders; empty if not stated
};

/// Output that takes over the memory of an argument.
struct program_alias {
    std::size_t output = 0;    ///< position in `hlo_module::outputs`
    std::size_t argument = 0;  ///< position in `hlo_module::arguments`
    bool must = false;         ///< true if the compiler relies on it; false if it is optional
};

/// Parts of an HLO module that concern memory.
struct hlo_module {
    std::string name;
    std::optional<std::string> entry;  ///< the name of the entry computation; empty if the text ends before it
    bool is_scheduled = false;         ///< compiled to the end, rather than before optimization
    bool is_cut = false;               ///< the text ends before the end of the entry computation
    bool states_layouts = false;    ///< arguments and outputs are from entry_computation_layout, not from instructions
    bool is_tiled = false;          ///< true if any array has tiles, which are typical of compilation for a TPU
    bool has_whole_arrays = false;  ///< shapes are of whole arrays that several devices share, not of one's share
    std::uint64_t num_partitions = 1;  ///< number of devices that share the arrays
    bool states_partitions = true;     ///< false if that number is from shardings: the header does not state it
    std::uint64_t replica_count = 1;
    std::vector<program_array> arguments;  ///< arguments by parameter, then by index
    std::vector<program_array> outputs;    ///< outputs by index
    std::vector<program_alias> aliases;    ///< aliases in the order of the text
    std::vector<std::size_t> donors;       ///< positions of arguments that are donated to any output of their size
    std::vector<std::string> others = {};  ///< names of further modules in the text, which are not read
    std::map<std::string, instruction_origin> origins = {};  ///< by instruction; of scheduled modules alone
};

/// Sums over a module in bytes of the device's main memory. None exceeds 64 bits: see `read_module`.
struct module_sums {
    std::uint64_t arguments = 0;
    std::uint64_t outputs = 0;             ///< all outputs, including those that take over an argument
    std::uint64_t unpadded_arguments = 0;  ///< arguments without padding
    std::uint64_t aliases = 0;             ///< outputs that take over an argument
    std::uint64_t donors = 0;              ///< arguments that are donated to any output of their size
    std::uint64_t host_arguments = 0;      ///< arguments in the memory of the host
    std::uint64_t host_outputs = 0;
    std::uint64_t mismatches = 0;  ///< number of aliases whose two sides differ in bytes or lie in different memories

    /// Returns a lower bound of a run's memory: temporaries, constants and code are not in the text.
    [[nodiscard]] std::uint64_t at_least() const noexcept { return arguments + (outputs - aliases); }
};

/// Returns the sums over a module. Cost: O(arguments + outputs).
[[nodiscard]] module_sums sums_of(const hlo_module& subject) noexcept;

/// Returns the arguments, outputs, aliases and donors of a module. Cost: O(arguments + outputs).
[[nodiscard]] donation_question donation_question_of(const hlo_module& module);

/// Reads the first HLO module of a text, also one with stamps of a log before its lines; without a line HloModule the
/// ENTRY computation alone. Missing parts are left out and flagged: a text that ends after its header is sufficient if
/// the header has the layouts. The sum of all bytes is below 2^64. Throws `read_error`; `file` is for messages.
/// Cost: O(length).
[[nodiscard]] hlo_module read_module(std::string_view text, const std::string& file);

/// Describes a module. Temporaries, constants and code are not in the text, so the peak is unknown;
/// "peak_bytes_at_least" is a lower bound. If "global_shapes" is true, or "sharded_over" names a number of devices that
/// the header does not state, sizes are those of whole arrays, "share_bytes" those of one device.
/// Cost: O(arguments + outputs).
[[nodiscard]] description describe(const hlo_module& module);

}  // namespace hbm::imported
