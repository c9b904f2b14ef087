#pragma once
// A workload is a trace in memory: a short row for each event, and side tables for data that only some rows have.


#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hbm::trace {

/// What a row does. The meaning of each operation is that of the trace grammar (see read/csv.hpp).
enum class op : std::uint8_t { alloc, free, load, run, unload, pin, unpin, sync, import };

/// Dense number of an id token: below `workload::ids.size()`, and the same token has the same number throughout.
using id = std::uint32_t;

/// The value of an empty cell of a number.
inline constexpr std::uint64_t unspecified = ~std::uint64_t{0};

/// The `row::detail` of a row without details.
inline constexpr std::uint32_t no_detail = ~std::uint32_t{0};

/// A new buffer: an output of a run.
struct sized_id {
    id name = 0;              ///< number of its id
    std::uint64_t bytes = 0;  ///< its size in bytes

    friend bool operator==(const sized_id&, const sized_id&) = default;
};

/// A data row. It has only 24 bytes, because a replay reads all rows.
struct row {
    std::uint64_t bytes = 0;           ///< alloc, load, import: size in bytes; free: the cell, or `unspecified`; else 0
    id subject = 0;                    ///< the buffer or program; unused for sync
    std::uint32_t detail = no_detail;  ///< index into `workload::details` for load, run and import
    std::uint32_t tag = 0;             ///< index into `workload::tags`; 0 is the empty tag
    op what = op::alloc;               ///< the operation

    friend bool operator==(const row&, const row&) = default;
};

static_assert(sizeof(row) == 24);

/// A range of entries in a side table.
struct operand_range {
    std::uint32_t first = 0;  ///< index of the first entry
    std::uint32_t count = 0;  ///< number of entries

    friend bool operator==(const operand_range&, const operand_range&) = default;
};

/// The data that only load, run and import rows have.
struct detail {
    std::uint64_t scratch = 0;              ///< load: scratch in bytes
    std::uint64_t reload_us = unspecified;  ///< load: cost of loading again in microseconds; unspecified: from its size
    operand_range inputs;                   ///< run: into `workload::operands`; a buffer may be listed several times
    operand_range donated;     ///< run: into `workload::operands`; these ids end before the ids of outputs begin
    operand_range outputs;     ///< run: into `workload::outputs`; may reuse the id of a donated buffer
    std::uint64_t offset = 0;  ///< import: where the range begins, bytes

    friend bool operator==(const detail&, const detail&) = default;
};

/// A trace. Its rows must be valid, as those that a `workload_builder` makes; they are not checked again.
struct workload {
    std::string name;                  ///< path or generator as given
    std::vector<row> rows;             ///< in the order in which they apply
    std::vector<std::uint64_t> times;  ///< empty, or for each row a time in microseconds, never decreasing
    std::vector<detail> details;
    std::vector<id> operands;
    std::vector<sized_id> outputs;
    std::vector<std::string> ids;    ///< token of each id
    std::vector<std::string> tags;   ///< text of each tag; the first is empty
    std::vector<std::size_t> lines;  ///< line of each row in its file, from 1; empty for a generated workload
    std::size_t skipped = 0;         ///< failed allocations that a log reports and a replay leaves out
    std::vector<std::string> notes;  ///< sentences for people: what the file does not say, or contradicts itself in

    /// Whether any row loads or runs a program. O(rows).
    bool has_programs() const {
        for (const row& each : rows) {
            if (each.what == op::load || each.what == op::run) {
                return true;
            }
        }
        return false;
    }

    /// Whether any run offers a donated buffer. O(details).
    bool has_donations() const {
        for (const detail& each : details) {
            if (each.donated.count != 0) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace hbm::trace
