#include "compare/replay/row_failure.hpp"

#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <vector>

#include "compare/text/text.hpp"

namespace hbm::trace {

std::string found_words(const row_failure& problem) {
    const std::string name = quoted(problem.name);
    switch (problem.what) {
    case row_error::none: break;
    case row_error::malformed_id:
    case row_error::malformed_tag: return problem.name.empty() ? "nothing" : name;
    case row_error::already_live:
    case row_error::buffer_as_program: return "id " + name + " of a live buffer";
    case row_error::id_of_program:
    case row_error::program_as_buffer: return "id " + name + " of a program";
    case row_error::not_live: return "id " + name + ", which is not live";
    case row_error::never_loaded: return "id " + name + ", which was never loaded";
    case row_error::not_loaded: return "program " + name + ", which is not loaded";
    case row_error::size_differs:
    case row_error::load_differs: return decimal(problem.found) + " bytes";
    case row_error::donated_twice:
    case row_error::output_twice: return name + " twice";
    case row_error::donated_input: return name + ", which is an input of the same run";
    case row_error::not_pinned: return "buffer " + name + ", which is not pinned";
    case row_error::time_fell: return "time " + decimal(problem.found) + " after " + decimal(problem.expected);
    case row_error::empty_import: return "0 bytes";
    case row_error::range_too_far: return "offset " + decimal(problem.found);
    case row_error::too_many: return "more entries than 32 bits can count";
    }
    return "nothing wrong";
}

std::string expected_words(const row_failure& problem) {
    switch (problem.what) {
    case row_error::none: break;
    case row_error::malformed_id: return "an id without blanks, commas or control characters";
    case row_error::malformed_tag: return "a tag without commas or control characters";
    case row_error::already_live:
    case row_error::id_of_program: return "an id that is not in use";
    case row_error::program_as_buffer:
    case row_error::not_live: return "a live buffer";
    case row_error::buffer_as_program:
    case row_error::never_loaded: return "a program that an earlier row loads";
    case row_error::not_loaded: return "a loaded program";
    case row_error::size_differs: return decimal(problem.expected) + " bytes as allocated, or an empty cell";
    case row_error::load_differs:
        return decimal(problem.expected) + " bytes as when it was loaded, or an unload before";
    case row_error::donated_twice: return "each donated buffer once";
    case row_error::donated_input: return "a donated buffer that is no input";
    case row_error::output_twice: return "each output once";
    case row_error::not_pinned: return "a pinned buffer";
    case row_error::time_fell: return "times that never fall";
    case row_error::empty_import: return "a range of at least a byte";
    case row_error::range_too_far:
        return "at most " + decimal(problem.expected) + ", so that the range ends below 2^64 bytes";
    case row_error::too_many: return "a shorter trace";
    }
    return "nothing else";
}

std::optional<row_beyond_limit> find_row_beyond(const workload& trace, std::uint64_t most) {
    std::vector<std::uint64_t> sizes(trace.ids.size(), 0);
    std::uint64_t live = 0;  // never more than `most` before a row
    std::uint64_t largest = 0;
    const auto end = [&](id name) { live -= sizes[name], sizes[name] = 0; };
    const auto begin = [&](id name, std::uint64_t bytes) {
        largest = std::max(largest, bytes);
        sizes[name] = saturating_add(sizes[name], bytes);
        live = saturating_add(live, bytes);
    };
    for (std::size_t at = 0; at < trace.rows.size(); ++at) {
        const row& next = trace.rows[at];
        const detail* const more = next.detail == no_detail ? nullptr : &trace.details[next.detail];
        std::uint64_t reached = 0;
        largest = 0;
        switch (next.what) {
        case op::alloc: begin(next.subject, next.bytes); break;
        case op::import:
            begin(next.subject, next.bytes);
            largest = std::max(largest, more->offset);
            reached = saturating_add(more->offset, next.bytes);
            break;
        case op::load:
            end(next.subject);
            begin(next.subject, next.bytes);
            begin(next.subject, more->scratch);
            break;
        case op::run:
            for (std::uint32_t i = 0; i < more->donated.count; ++i) end(trace.operands[more->donated.first + i]);
            for (std::uint32_t i = 0; i < more->outputs.count; ++i) {
                const sized_id& born = trace.outputs[more->outputs.first + i];
                begin(born.name, born.bytes);
            }
            break;
        case op::free:
        case op::unload: end(next.subject); break;
        default: break;
        }
        if (std::max(live, reached) > most) return row_beyond_limit{at, largest};
    }
    return std::nullopt;
}

}  // namespace hbm::trace
