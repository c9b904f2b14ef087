#pragma once

/// Every error of a row, with placeholders in braces: `name` is its id or tag, `number` and `earlier` are its value and
/// that of an earlier row.

#include <string_view>

#include "compare/replay/row_failure.hpp"

namespace hbm::trace::texts {

/// Text found in a row, and text expected instead.
struct row_texts {
    row_error what;
    std::string_view content;
    std::string_view expected;
};

/// Texts by error; an empty text in place of an id or tag is `nothing`.
inline constexpr row_texts rows[] = {
    {row_error::none, "nothing wrong", "nothing else"},
    {row_error::malformed_id, "{name}", "an id without blanks, commas or control characters"},
    {row_error::malformed_tag, "{name}", "a tag without commas or control characters"},
    {row_error::already_live, "id {name} of a live buffer", "an id that is not in use"},
    {row_error::id_of_program, "id {name} of a program", "an id that is not in use"},
    {row_error::program_as_buffer, "id {name} of a program", "a live buffer"},
    {row_error::not_live, "id {name}, which is not live", "a live buffer"},
    {row_error::buffer_as_program, "id {name} of a live buffer", "a program that an earlier row loads"},
    {row_error::never_loaded, "id {name}, which was never loaded", "a program that an earlier row loads"},
    {row_error::not_loaded, "program {name}, which is not loaded", "a loaded program"},
    {row_error::size_differs, "{number} bytes", "{earlier} bytes as allocated, or an empty cell"},
    {row_error::load_differs, "{number} bytes", "{earlier} bytes as when it was loaded, or an unload before"},
    {row_error::donated_twice, "{name} twice", "each donated buffer once"},
    {row_error::donated_input, "{name}, which is an input of the same run", "a donated buffer that is not an input"},
    {row_error::output_twice, "{name} twice", "each output once"},
    {row_error::not_pinned, "buffer {name}, which is not pinned", "a pinned buffer"},
    {row_error::time_fell, "time {number} after {earlier}", "times that never fall"},
    {row_error::empty_import, "0 bytes", "a range of at least a byte"},
    {row_error::range_too_far, "offset {number}", "at most {earlier}, so that the range ends below 2^64 bytes"},
    {row_error::malformed_kind, "kind {name}", "a word without blanks, commas or control characters"},
    {row_error::donated_elsewhere, "{name}, which is not on the device", "a donated buffer of the kind device"},
    {row_error::too_many, "more entries than 32 bits can count", "a shorter trace"},
};

}  // namespace hbm::trace::texts
