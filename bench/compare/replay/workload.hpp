#pragma once
// A workload is a trace in memory: a short row for each event, and side tables for data that only some rows have.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/replay/row_list.hpp"
#include "compare/text/number_list.hpp"
#include "compare/text/token_list.hpp"

namespace hbm::trace {

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
    std::string name;   ///< path or generator as given
    row_list rows;      ///< rows in the order of their application
    number_list times;  ///< microseconds of each row, never decreasing; or empty
    std::vector<detail> details;
    std::vector<id> operands;
    std::vector<sized_id> outputs;
    token_list ids;                  ///< token of each id
    std::vector<std::string> tags;   ///< text of each tag; the first is empty
    std::vector<std::string> kinds;  ///< kinds of memory; the first is `device`. Empty if all buffers are there
    number_list lines;               ///< line of each row in its file, from 1; empty for a generated workload
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
        for (const detail& each : details) {
            if (each.donated.count != 0) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace hbm::trace
