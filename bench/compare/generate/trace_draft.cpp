#include "compare/generate/trace_draft.hpp"

#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::trace {

void trace_draft::wait(std::uint64_t microseconds) {
    clock_ += microseconds;
    check(builder_.at_time(clock_));
}

draft_buffer trace_draft::fresh(std::string_view kind, std::uint64_t bytes) {
    return {std::string{kind} + decimal(serial_++), bytes};
}

draft_buffer trace_draft::alloc(std::string_view kind, std::uint64_t bytes) {
    draft_buffer result = fresh(kind, bytes);
    check(builder_.alloc(result.name, bytes, kind));
    return result;
}

void trace_draft::free(draft_buffers& gone) {
    for (const draft_buffer& entry : gone) free(entry);
    gone.clear();
}

void trace_draft::load(std::string_view program, std::uint64_t code, std::uint64_t scratch) {
    check(builder_.load(program, {code, scratch, unspecified}, "program"));
}

void trace_draft::run(std::string_view program, const draft_buffers& inputs, const draft_buffers& donated,
                      const draft_buffers& outputs, std::string_view tag) {
    name_all(inputs, inputs_);
    name_all(donated, donated_);
    outputs_.clear();
    for (const draft_buffer& entry : outputs) outputs_.push_back({entry.name, entry.bytes});
    check(builder_.run(program, {inputs_, donated_, outputs_}, tag));
}

void trace_draft::check(const row_failure& problem) const {
    if (!problem.ok())
        throw compare::usage_error("row " + decimal(builder_.size()) + ": found " + problem.found + ", expected " +
                                   problem.expected);
}

void trace_draft::name_all(const draft_buffers& buffers, std::vector<std::string_view>& names) {
    names.clear();
    for (const draft_buffer& entry : buffers) names.push_back(entry.name);
}

void join(draft_buffers& all, const draft_buffers& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace hbm::trace
