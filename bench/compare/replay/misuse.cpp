#include "compare/replay/misuse.hpp"

#include "compare/text/text.hpp"

namespace hbm::trace {

std::string found_words(const complaint& problem) {
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

std::string expected_words(const complaint& problem) {
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
