#pragma once
// Rows that break a rule of traces: codes, values and messages.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// The rules of a trace that a row can break.
enum class row_error : std::uint8_t {
    none,               ///< the row is fine
    malformed_id,       ///< an id is empty, or has blanks, commas or control characters
    malformed_tag,      ///< a tag has commas or control characters
    already_live,       ///< a new buffer or program takes the id of a live buffer
    id_of_program,      ///< a new buffer takes the id of a program, which it keeps when it is unloaded
    program_as_buffer,  ///< a program where a buffer is needed
    not_live,           ///< a buffer that was never allocated, or died
    buffer_as_program,  ///< a live buffer where a program is needed
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
    too_many            ///< more ids, tags or operands than 32 bits can count
};

/// The part of a row that is wrong; each is a column of the trace grammar.
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

/// The failure of a row: the broken rule, and where.
struct row_failure {
    row_error what = row_error::none;  ///< the broken rule
    field where = field::name;         ///< the part of the row that breaks it
    std::string_view name;             ///< the wrong id or tag: a view of the caller's text
    std::uint64_t found =
        0;  ///< size_differs, load_differs: bytes of this row; time_fell: microseconds; range_too_far: offset
    std::uint64_t expected = 0;  ///< the same for the earlier row

    /// Whether the row was accepted.
    bool ok() const { return what == row_error::none; }
};

/// What was found, for messages: "id `a`, which is not live".
std::string found_words(const row_failure& problem);

/// What was expected, for messages: "a live buffer".
std::string expected_words(const row_failure& problem);

/// No trace of a device has more bytes at once: 4 PiB. Below it, sums of all rows stay exact.
inline constexpr std::uint64_t most_bytes_at_once = std::uint64_t{1} << 52;

/// A row with which more is in memory than a limit.
struct row_beyond_limit {
    std::size_t row = 0;      ///< its index
    std::uint64_t bytes = 0;  ///< the largest size in it

    friend bool operator==(const row_beyond_limit&, const row_beyond_limit&) = default;
};

/// The first row with which buffers and programs come to more than `most` bytes if nothing is evicted or donated, or
/// that imports a range which ends beyond it. O(rows).
[[nodiscard]] std::optional<row_beyond_limit> find_row_beyond(const workload& trace, std::uint64_t most);

}  // namespace hbm::trace
