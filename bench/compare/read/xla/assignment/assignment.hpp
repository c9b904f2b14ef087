#pragma once
// A buffer assignment of XLA: which range of memory each value of a program lies in.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/xla/allocation.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported::xla {

/// The memory space of HBM. Other colors are on the chip or, 5, on the host.
inline constexpr std::uint32_t hbm_color = 0;

/// Adds a size to a sum. Sums are 2^64-1 where they would exceed that.
void add_size(rounded_size& sum, const rounded_size& more) noexcept;

/// Sums of allocations in HBM, in bytes, as XLA defines them (xla/pjrt/compiled_memory_stats.cc). An allocation may
/// count in several of them.
struct memory_classes {
    rounded_size argument;    ///< parameters
    rounded_size output;      ///< all that holds outputs: tables of tuples, and parameters that an output takes over
    rounded_size alias;       ///< parameters that an output takes over
    rounded_size temporary;   ///< intermediate results
    rounded_size constant;    ///< constants
    rounded_size per_thread;  ///< in none of the others
    rounded_size peak;        ///< each allocation once, without those per thread; the program's code is not in it
    rounded_size all;         ///< each allocation once, in every memory space
    std::map<std::uint32_t, rounded_size> other_spaces;  ///< by color; without HBM
};

/// The sums over some allocations. O(count x log(memory spaces)).
[[nodiscard]] memory_classes classify(std::span<const allocation> all);

}  // namespace hbm::imported::xla

namespace hbm::imported::xla {

/// A value of the program: what an instruction makes, or an array of it.
struct buffer_value {
    std::uint64_t id = 0;
    std::string name;            ///< of its instruction
    index_path index;            ///< which array of what the instruction makes
    std::uint64_t bytes = 0;     ///< on the device
    std::uint64_t offset = 0;    ///< in its allocation, bytes
    std::size_t allocation = 0;  ///< index into `assignment::allocations`
    std::string shape;           ///< with its layout, as written

    /// Whether it is the table of a tuple rather than data.
    [[nodiscard]] bool is_table() const noexcept { return shape.starts_with('('); }
};

/// An array of the result, and where it is.
struct assigned_output {
    index_path index;
    std::uint64_t bytes = 0;                 ///< on the device
    std::size_t allocation = 0;              ///< index into `assignment::allocations`
    std::optional<std::uint64_t> parameter;  ///< the parameter whose place it takes
    index_path parameter_index;              ///< which array of that parameter
    std::string shape;                       ///< as written; a result that is no tuple has it without its layout
};

/// The value of `assignment::cut_line` of a file that is whole.
inline constexpr std::size_t not_cut = std::numeric_limits<std::size_t>::max();

/// A buffer assignment, or what is left of it if its file was cut.
struct assignment {
    std::vector<allocation> allocations;      ///< in the order of the file
    std::vector<buffer_value> values;         ///< likewise; none in files since 2026, which leave them out
    std::vector<assigned_output> outputs;     ///< by index; all of them only if `has_all_outputs`
    bool has_all_outputs = false;             ///< whether each array of the result was found
    std::optional<std::uint64_t> used_bytes;  ///< `Total bytes used`: all memory spaces together
    /// The line at which the file stops too early, from 1; else `not_cut`.
    std::size_t cut_line = not_cut;
    std::optional<std::uint64_t> schedule_length;   ///< instructions in the order of execution
    std::optional<std::uint64_t> busiest_at;        ///< the instruction at which most bytes are live
    std::optional<std::uint64_t> busiest_unpadded;  ///< bytes live there, without the padding of the device
    std::uint64_t first_unknown_flag_line = 0;      ///< 0 if all flags are known

    /// Whether no allocation is missing: the file says how much they are together, and that is what was read.
    [[nodiscard]] bool has_all_allocations() const {
        return used_bytes && classify(allocations).all.bytes == *used_bytes;
    }
};

/// The bytes of the tables of tuples among the outputs: in `memory_classes::output`, but in no array. O(values).
[[nodiscard]] std::uint64_t output_table_bytes(const assignment& of);

}  // namespace hbm::imported::xla

namespace hbm::imported::xla {

/// A place at which a value stands: an array of what an instruction makes or passes on.
struct value_place {
    std::string name;  ///< of the instruction
    index_path index;
    std::uint64_t value = 0;  ///< id of the value
};

/// Sets the outputs of an assignment, from where its values stand. O((values + places) x log).
void find_outputs(assignment& in, const std::vector<value_place>& places);

}  // namespace hbm::imported::xla
