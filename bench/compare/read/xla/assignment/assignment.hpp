#pragma once
// Buffer assignment of XLA: the range of memory of each value of a program.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/allocation.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported::xla {

/// Memory space of HBM. Other colors are on the chip or, 5, on the host.
inline constexpr std::uint32_t hbm_color = 0;

/// Adds a size to a sum, which saturates at 2^64-1.
void add_size(rounded_size& sum, const rounded_size& more) noexcept;

/// Sums of allocations in HBM, in bytes, as XLA defines them (xla/pjrt/compiled_memory_stats.cc). An allocation may
/// count in several of them.
struct memory_classes {
    rounded_size argument;    ///< parameters
    rounded_size output;      ///< all ranges with outputs: tables of tuples, and parameters that an output takes over
    rounded_size alias;       ///< parameters that an output takes over
    rounded_size temporary;   ///< intermediate results
    rounded_size constant;    ///< constants
    rounded_size per_thread;  ///< ranges per thread, which are in none of the others
    rounded_size peak;        ///< each allocation once, without those per thread; the program's code is not in it
    rounded_size all;         ///< each allocation once, in every memory space
    std::map<std::uint32_t, rounded_size> other_spaces;  ///< sums by color, without HBM
};

/// Returns the sums over some allocations. Cost: O(count x log(memory spaces)).
[[nodiscard]] memory_classes classify(std::span<const allocation> all);

/// Value of the program: the result of an instruction, or an array of it.
struct buffer_value {
    std::uint64_t id = 0;
    std::string name;            ///< name of its instruction
    index_path index;            ///< index of the array in the result of the instruction
    std::uint64_t bytes = 0;     ///< size on the device
    std::uint64_t offset = 0;    ///< offset in its allocation, bytes
    std::size_t allocation = 0;  ///< index into `assignment::allocations`
    std::string shape;           ///< shape with its layout, as written

    /// Returns true for the table of a tuple, false for data.
    [[nodiscard]] bool is_table() const noexcept { return shape.starts_with('('); }
};

/// Instructions during which a value is in memory, by their numbers in the order of execution. Both ends belong to it.
struct live_range {
    std::string name;  ///< name of the value's instruction
    index_path index;  ///< index of the array in the result of the instruction
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
    std::vector<allocation> allocations;      ///< allocations in the order of the file
    std::vector<buffer_value> values;         ///< values in the order of the file; files since 2026 leave them out
    std::vector<assigned_output> outputs;     ///< arrays of the result, by index; complete if `has_all_outputs`
    bool has_all_outputs = false;             ///< true if each array of the result was found
    std::optional<std::uint64_t> used_bytes;  ///< `Total bytes used`: all memory spaces together
    /// Line at which the file stops too early, from 1; else `not_cut`.
    std::size_t cut_line = not_cut;
    std::optional<std::uint64_t> schedule_length;   ///< number of instructions in the order of execution
    std::vector<live_range> live_ranges;            ///< lives of values, in the order of the file
    std::optional<std::uint64_t> busiest_at;        ///< instruction at which most bytes are live
    std::optional<std::uint64_t> busiest_unpadded;  ///< bytes live there, without the padding of the device
    std::uint64_t first_unknown_flag_line = 0;      ///< first line with an unsupported flag; 0: none

    /// Returns true if no allocation is missing: the total that the file states is the sum of those read.
    [[nodiscard]] bool has_all_allocations() const {
        return used_bytes && classify(allocations).all.bytes == *used_bytes;
    }
};

/// Returns the bytes of the tables of tuples among the outputs: in `memory_classes::output`, but in no array.
/// Cost: O(values).
[[nodiscard]] std::uint64_t output_table_bytes(const assignment& subject);

/// Place of a value: an array that an instruction makes or passes on.
struct value_place {
    std::string name;  ///< name of the instruction
    index_path index;
    std::uint64_t value = 0;  ///< id of the value
};

/// Sets the outputs of an assignment from the places of its values. Cost: O((values + places) x log).
void find_outputs(assignment& source, const std::vector<value_place>& places);

/// Reads a buffer assignment. `file` appears in messages. Cost: O(size x log(values)).
reading<assignment> read_assignment(std::string_view text, std::string file);

/// Returns the bytes by memory space, without HBM, as a JSON object whose keys are colors.
[[nodiscard]] std::string spaces_json(const std::map<std::uint32_t, rounded_size>& spaces);

/// Returns the parameters of a program, by number and index. Cost: O(n log n).
[[nodiscard]] std::vector<described_leaf> described_arguments(const assignment& subject);

/// Returns the arguments, outputs and aliases of an assignment whose outputs were all found. Cost: O(n log n).
[[nodiscard]] donation_question donation_question_of(const assignment& subject);

/// Returns a description of this kind with the sums; empty sums unless the file `is_whole`.
[[nodiscard]] description described_sums(file_kind kind, const memory_classes& sums, bool is_whole);

/// Describes a buffer assignment. If the file was cut amid its allocations, sums are left out. Outputs are left out
/// unless all were found.
/// Cost: O(n log n).
[[nodiscard]] description describe(const assignment& subject);

}  // namespace hbm::imported::xla
