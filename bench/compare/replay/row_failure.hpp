#pragma once
// Rows that break a rule of traces: codes, values and messages.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Rules of a trace that a row can break.
enum class row_error : std::uint8_t {
    none,               ///< no error
    malformed_id,       ///< an id is empty, or has blanks, commas or control characters
    malformed_tag,      ///< a tag has commas or control characters
    already_live,       ///< a new buffer or program takes the id of a live buffer
    id_of_program,      ///< a new buffer takes the id of a program, which it keeps when it is unloaded
    program_as_buffer,  ///< a program in place of a buffer
    not_live,           ///< a buffer that was never allocated, or died
    buffer_as_program,  ///< a live buffer in place of a program
    never_loaded,       ///< a program id that no load row introduced
    not_loaded,         ///< unload of a program that is unloaded already
    size_differs,       ///< a free with another size than the allocation
    load_differs,       ///< load of a loaded program with another size or scratch
    donated_twice,      ///< a run has the same buffer twice among its donated buffers
    donated_input,      ///< a run has a buffer both as an input and as donated
    output_twice,       ///< a run has two outputs with the same id
    not_pinned,         ///< unpin of a buffer that has no pin
    time_fell,          ///< a row has an earlier time than the row before
    empty_import,       ///< an imported range has no bytes
    range_too_far,      ///< an imported range ends beyond 2^64 bytes
    malformed_kind,     ///< a kind of memory has blanks, commas or control characters
    donated_elsewhere,  ///< a run has a buffer of another memory than the device's among its donated buffers
    too_many            ///< more ids, tags or operands than 32 bits can count
};

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
    offset,
    kind
};

/// Failure of a row: the broken rule, and its place.
struct row_failure {
    row_error what = row_error::none;  ///< broken rule
    field where = field::name;         ///< part of the row that breaks it
    std::string_view name;             ///< wrong id or tag: a view of the caller's text
    std::uint64_t found = 0;           ///< size_differs, load_differs: bytes of this row; time_fell: microseconds;
                                       ///< range_too_far: offset
    std::uint64_t expected = 0;        ///< value of the earlier row, or the largest

    /// Returns true if the row was accepted.
    bool ok() const { return what == row_error::none; }
};

/// Returns the text found, for messages: "id `a`, which is not live".
std::string found_words(const row_failure& problem);

/// Returns the text expected, for messages: "a live buffer".
std::string expected_words(const row_failure& problem);

/// Limit on the bytes of a trace at once: 4 PiB, more than any device has. Below it, sums of all rows stay exact.
inline constexpr std::uint64_t most_bytes_at_once = std::uint64_t{1} << 52;

/// Row with which more is in memory than a limit.
struct row_beyond_limit {
    std::size_t row = 0;      ///< index of the row
    std::uint64_t bytes = 0;  ///< largest size in it

    friend bool operator==(const row_beyond_limit&, const row_beyond_limit&) = default;
};

/// Returns the first row with which buffers and programs exceed `most` bytes without evictions or donations. Also finds
/// an import whose range ends beyond it.
/// Cost: O(rows).
[[nodiscard]] std::optional<row_beyond_limit> find_row_beyond(const workload& trace, std::uint64_t most);

}  // namespace hbm::trace
