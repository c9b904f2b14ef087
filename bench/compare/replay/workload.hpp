#pragma once
// A workload is a trace in memory: a short row for each event, and side tables for data that only some rows have.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hbm::trace {

/// Operation of a row. The trace grammar has its meaning (see read/csv/README.md).
enum class op : std::uint8_t { alloc, free, load, run, unload, pin, unpin, sync, import };

/// Dense number of an id token: below `workload::ids.size()`, and one number for all equal tokens.
using id = std::uint32_t;

/// Value of an empty cell of a number.
inline constexpr std::uint64_t unspecified = ~std::uint64_t{0};

/// Value of `row::detail` for a row without details.
inline constexpr std::uint32_t no_detail = ~std::uint32_t{0};

/// Data row.
struct row {
    std::uint64_t bytes = 0;           ///< alloc, load, import: size in bytes; free: the cell, or `unspecified`; else 0
    id subject = 0;                    ///< buffer or program; unused for sync
    std::uint32_t detail = no_detail;  ///< index into `workload::details` for load, run and import
    std::uint32_t tag = 0;             ///< index into `workload::tags`; 0 is the empty tag
    op what = op::alloc;               ///< operation

    friend bool operator==(const row&, const row&) = default;
};

/// New buffer: an output of a run.
struct sized_id {
    id name = 0;              ///< number of its id
    std::uint64_t bytes = 0;  ///< size in bytes

    friend bool operator==(const sized_id&, const sized_id&) = default;
};

/// Range of entries in a side table.
struct operand_range {
    std::uint32_t first = 0;  ///< index of the first entry
    std::uint32_t count = 0;  ///< number of entries

    friend bool operator==(const operand_range&, const operand_range&) = default;
};

/// Data of rows of some operations only.
struct detail {
    std::uint64_t scratch = 0;              ///< load: scratch in bytes
    std::uint64_t reload_us = unspecified;  ///< load: cost of loading again in microseconds; unspecified: from its size
    std::uint64_t us = unspecified;         ///< run: duration in microseconds; unspecified: until the next row
    operand_range inputs;                   ///< run: into `workload::operands`; a buffer may be listed several times
    operand_range donated;     ///< run: into `workload::operands`; these ids end before the ids of outputs begin
    operand_range outputs;     ///< run: into `workload::outputs`; may reuse the id of a donated buffer
    std::uint64_t offset = 0;  ///< import: first byte of the range

    friend bool operator==(const detail&, const detail&) = default;
};

/// Trace. Its rows must be valid, as those of a `workload_builder`; they are not checked again.
struct workload {
    std::string name;                  ///< path or generator as given
    std::vector<row> rows;             ///< rows in the order of their application
    std::vector<std::uint64_t> times;  ///< microseconds of each row, never decreasing; or empty
    std::vector<detail> details;
    std::vector<id> operands;
    std::vector<sized_id> outputs;
    std::vector<std::string> ids;    ///< token of each id
    std::vector<std::string> tags;   ///< text of each tag; the first is empty
    std::vector<std::size_t> lines;  ///< line of each row in its file, from 1; empty for a generated workload
    std::size_t skipped = 0;         ///< failed allocations that a log reports and a replay leaves out
    std::vector<std::string> notes;  ///< sentences for people about gaps and contradictions in the file

    /// Returns true if any row loads or runs a program. Cost: O(rows).
    bool has_programs() const {
        if (details.empty()) return false;
        for (const row& entry : rows)
            if (entry.what == op::load || entry.what == op::run) return true;
        return false;
    }

    /// Returns true if any run offers a donated buffer. Cost: O(details).
    bool has_donations() const {
        for (const detail& each : details)
            if (each.donated.count != 0) return true;
        return false;
    }
};

}  // namespace hbm::trace
