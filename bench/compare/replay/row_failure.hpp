#pragma once
// Rows that break a rule of traces.

#include <cstdint>
#include <string>

namespace hbm::trace {

/// Part of a row that is wrong; each is a column of the trace grammar.
enum class field : std::uint8_t {
    time,
    operation,
    name,
    bytes,
    tag,
    inputs,
    donated,
    outputs,
    scratch,
    reload_us,
    offset
};

/// Failure of a row: what breaks a rule, and the rule.
struct row_failure {
    field where = field::name;       ///< part of the row that breaks it
    std::string found;               ///< "id `a`, which is not live"
    const char* expected = nullptr;  ///< "a live buffer"; null if the row was accepted

    /// Returns true if the row was accepted.
    bool ok() const { return expected == nullptr; }
};

}  // namespace hbm::trace
