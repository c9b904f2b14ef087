#pragma once
// What can be wrong with a row: codes and messages.

#include <hbm/trace/text.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::trace {

/// The rules of a trace that a row can break.
enum class misuse : std::uint8_t {
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

/// Why a row was refused.
struct complaint {
    misuse what = misuse::none;  ///< the broken rule
    field where = field::name;   ///< the part of the row that breaks it
    std::string_view name;       ///< the wrong id or tag: a view of the caller's text
    std::uint64_t found =
        0;  ///< size_differs, load_differs: bytes of this row; time_fell: microseconds; range_too_far: offset
    std::uint64_t expected = 0;  ///< the same for the earlier row

    /// Whether the row was accepted.
    bool ok() const { return what == misuse::none; }
};

/// What was found, for messages: "id `a`, which is not live".
inline std::string found_words(const complaint& problem) {
    const std::string name = quoted(problem.name);
    switch (problem.what) {
    case misuse::none:
        break;
    case misuse::malformed_id:
    case misuse::malformed_tag:
        return problem.name.empty() ? "nothing" : name;
    case misuse::already_live:
    case misuse::buffer_as_program:
        return "id " + name + " of a live buffer";
    case misuse::id_of_program:
    case misuse::program_as_buffer:
        return "id " + name + " of a program";
    case misuse::not_live:
        return "id " + name + ", which is not live";
    case misuse::never_loaded:
        return "id " + name + ", which was never loaded";
    case misuse::not_loaded:
        return "program " + name + ", which is not loaded";
    case misuse::size_differs:
    case misuse::load_differs:
        return decimal(problem.found) + " bytes";
    case misuse::donated_twice:
    case misuse::output_twice:
        return name + " twice";
    case misuse::donated_input:
        return name + ", which is an input of the same run";
    case misuse::not_pinned:
        return "buffer " + name + ", which is not pinned";
    case misuse::time_fell:
        return "time " + decimal(problem.found) + " after " + decimal(problem.expected);
    case misuse::empty_import:
        return "0 bytes";
    case misuse::range_too_far:
        return "offset " + decimal(problem.found);
    case misuse::too_many:
        return "more entries than 32 bits can count";
    }
    return "nothing wrong";
}

/// What was expected, for messages: "a live buffer".
inline std::string expected_words(const complaint& problem) {
    switch (problem.what) {
    case misuse::none:
        break;
    case misuse::malformed_id:
        return "an id without blanks, commas or control characters";
    case misuse::malformed_tag:
        return "a tag without commas or control characters";
    case misuse::already_live:
    case misuse::id_of_program:
        return "an id that is not in use";
    case misuse::program_as_buffer:
    case misuse::not_live:
        return "a live buffer";
    case misuse::buffer_as_program:
    case misuse::never_loaded:
        return "a program that an earlier row loads";
    case misuse::not_loaded:
        return "a loaded program";
    case misuse::size_differs:
        return decimal(problem.expected) + " bytes as allocated, or an empty cell";
    case misuse::load_differs:
        return decimal(problem.expected) + " bytes as when it was loaded, or an unload before";
    case misuse::donated_twice:
        return "each donated buffer once";
    case misuse::donated_input:
        return "a donated buffer that is no input";
    case misuse::output_twice:
        return "each output once";
    case misuse::not_pinned:
        return "a pinned buffer";
    case misuse::time_fell:
        return "times that never fall";
    case misuse::empty_import:
        return "a range of at least a byte";
    case misuse::range_too_far:
        return "at most " + decimal(problem.expected) + ", so that the range ends below 2^64 bytes";
    case misuse::too_many:
        return "a shorter trace";
    }
    return "nothing else";
}

}  // namespace hbm::trace
