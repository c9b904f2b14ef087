#pragma once
// Buffer assignment of XLA: the range of memory of each value of a program.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/xla/donation.hpp"
#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported {

/// Range of memory that a program uses: a line `allocation N: size BYTES, FLAGS:`. The flags and their order are those
/// of BufferAllocation::ToString in xla/service/buffer_assignment.cc.
struct allocation {
    std::uint64_t number = 0;                ///< number in the file
    std::uint64_t bytes = 0;                 ///< size on the device
    std::uint64_t color = 0;                 ///< memory space: 0 is HBM, 5 the host, others are on the chip
    std::optional<std::uint64_t> parameter;  ///< parameter of the program that it holds
    index_path index;                        ///< index of the array in that parameter, if the parameter is a tuple
    std::string shape;                       ///< shape of the parameter or of the result, without layouts; may be empty
    bool has_result = false;                 ///< holds the result, or if that is a tuple, the table of the result
    bool is_constant = false;                ///< holds a constant
    bool is_per_thread = false;              ///< `thread-local`: in no HBM
    bool is_live_out = false;   ///< holds an output; with a parameter, that output takes the parameter's place
    bool is_temporary = false;  ///< `preallocated-temp`

    /// Returns true if it lies in HBM.
    [[nodiscard]] bool in_hbm() const noexcept { return color == 0; }
    /// Returns true for the table of a result that is a tuple.
    [[nodiscard]] bool is_result_table() const noexcept { return has_result && shape.starts_with('('); }
};

/// Sums of allocations in HBM, in bytes, as XLA defines them (xla/pjrt/compiled_memory_stats.cc). An allocation may
/// count in several of them. Sums saturate.
struct memory_classes {
    std::uint64_t argument = 0;  ///< parameters
    std::uint64_t output = 0;  ///< all ranges with outputs: tables of tuples, and parameters that an output takes over
    std::uint64_t alias = 0;   ///< parameters that an output takes over
    std::uint64_t temporary = 0;   ///< intermediate results
    std::uint64_t constant = 0;    ///< constants
    std::uint64_t per_thread = 0;  ///< ranges per thread, which are in none of the others
    std::uint64_t peak = 0;        ///< each allocation once, without those per thread; the program's code is not in it
    std::uint64_t all = 0;         ///< each allocation once, in every memory space
    std::map<std::uint64_t, std::uint64_t> other_spaces;  ///< sums by color, without HBM
};

/// Returns the sums over some allocations. Cost: O(count x log(memory spaces)).
[[nodiscard]] memory_classes classify(const std::vector<allocation>& all);

/// Value of the program: the result of an instruction, or an array of it.
struct buffer_value {
    std::uint64_t id = 0;
    std::string name;            ///< name of its instruction
    index_path index;            ///< index of the array in the result of the instruction
    std::uint64_t bytes = 0;     ///< size on the device
    std::uint64_t offset = 0;    ///< offset in its allocation, bytes
    std::size_t allocation = 0;  ///< index into `assignment::allocations`
    std::string shape;           ///< shape with its layout, as written
};

/// Instructions during which a value is in memory, by their numbers in the order of execution. Both ends belong to it.
struct live_range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Array of the result, and its place.
struct assigned_output {
    index_path index;
    std::uint64_t bytes = 0;                 ///< size on the device
    std::size_t allocation = 0;              ///< index into `assignment::allocations`
    std::optional<std::uint64_t> parameter;  ///< number of the parameter that it takes over
    index_path parameter_index;              ///< index of the array in that parameter
    std::string shape;                       ///< shape as written; without its layout if the result is not a tuple
};

/// Value of `assignment::cut_line` for a whole file.
inline constexpr std::size_t not_cut = std::numeric_limits<std::size_t>::max();

/// Buffer assignment, or its readable part if the file was cut.
struct assignment {
    std::vector<allocation> allocations;           ///< allocations in the order of the file
    std::vector<buffer_value> values;              ///< values in the order of the file; files since 2026 leave them out
    std::vector<assigned_output> outputs;          ///< arrays of the result, by index; complete if `has_all_outputs`
    bool has_all_outputs = false;                  ///< true if each array of the result was found
    std::optional<std::uint64_t> used_bytes;       ///< `Total bytes used`: all memory spaces together
    std::size_t cut_line = not_cut;                ///< line at which the file stops too early, from 1
    std::optional<std::uint64_t> schedule_length;  ///< number of instructions in the order of execution
    /// Lives of values, by the name of their instruction and the index in its result.
    std::map<std::pair<std::string, index_path>, live_range> live_ranges;
    std::optional<std::uint64_t> busiest_at;        ///< instruction at which most bytes are live
    std::optional<std::uint64_t> busiest_unpadded;  ///< bytes live there, without the padding of the device

    /// Returns true if no allocation is missing: the total that the file states is the sum of those read.
    [[nodiscard]] bool has_all_allocations() const { return used_bytes && classify(allocations).all == *used_bytes; }
};

/// Reads a buffer assignment. Of a file that was cut, the whole entries before the cut are read. Throws `read_error`;
/// `file` is for messages. Cost: O(size x log(values)).
[[nodiscard]] assignment read_assignment(std::string_view text, const std::string& file);

/// Returns the arguments, outputs and aliases of an assignment whose outputs were all found. Cost: O(n log n).
[[nodiscard]] donation_question donation_question_of(const assignment& subject);

/// Describes a buffer assignment. If the file was cut amid its allocations, sums are left out. Outputs are left out
/// unless all were found.
/// Cost: O(n log n).
[[nodiscard]] description describe(const assignment& subject);

}  // namespace hbm::imported
