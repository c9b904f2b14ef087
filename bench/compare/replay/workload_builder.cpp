#include "compare/replay/workload_builder.hpp"

#include <algorithm>
#include <string>

#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

// Rules, as what a row was expected to have.
constexpr char new_id[] = "an id that is not in use";
constexpr char live_buffer[] = "a live buffer";
constexpr char loaded_program[] = "a program that an earlier row loads";
constexpr char shorter_trace[] = "a shorter trace";

/// Returns an id or tag for messages.
std::string named(std::string_view name) {
    return name.empty() ? "nothing" : quoted(name);
}

std::string bytes_in_words(std::uint64_t bytes) {
    return decimal(bytes) + " bytes";
}

row_failure malformed_id(std::string_view name, field where) {
    return {where, named(name), "an id without blanks, commas or control characters"};
}

row_failure too_many(field where) {
    return {where, "more entries than 32 bits can count", shorter_trace};
}

}  // namespace

row_failure workload_builder::alloc(std::string_view name, std::uint64_t bytes, std::string_view tag) {
    const place known = ids_.find(name);
    if (const auto problem = check_newcomer(name, known, field::name); !problem.ok()) return problem;
    if (const auto problem = check_tag(tag); !problem.ok()) return problem;
    const place subject = known == token_table::absent ? add(name) : known;
    set(subject, {.what = kind::buffer, .bytes = bytes});
    append(op::alloc, subject, tag, bytes);
    return {};
}

row_failure workload_builder::import_at(std::string_view name, std::uint64_t bytes, std::uint64_t offset,
                                        std::string_view tag) {
    const place known = ids_.find(name);
    if (const auto problem = check_newcomer(name, known, field::name); !problem.ok()) return problem;
    if (bytes == 0) return {field::bytes, "0 bytes", "a range of at least a byte"};
    if (offset > ~std::uint64_t{0} - bytes)
        return {field::offset, "offset " + decimal(offset), "a range that ends below 2^64 bytes"};
    if (const auto problem = check_tag(tag); !problem.ok()) return problem;
    const place subject = known == token_table::absent ? add(name) : known;
    set(subject, {.what = kind::buffer, .bytes = bytes, .pins = 1});
    detail more;
    more.offset = offset;
    append(op::import, subject, tag, bytes, &more);
    return {};
}

row_failure workload_builder::free(std::string_view name, std::uint64_t bytes, std::string_view tag) {
    place held = 0;
    if (const auto problem = find_buffer(name, field::name, held); !problem.ok()) return problem;
    const std::uint64_t allocated = things_[held].bytes;
    if (bytes != unspecified && bytes != allocated)
        return {field::bytes, bytes_in_words(bytes) + " where " + decimal(allocated) + " were allocated",
                "the same size, or an empty cell"};
    if (const auto problem = check_tag(tag); !problem.ok()) return problem;
    set(held, {});
    append(op::free, held, tag, bytes);
    return {};
}

row_failure workload_builder::load(std::string_view name, const program_size& size, std::string_view tag) {
    const place known = ids_.find(name);
    if (known == token_table::absent || things_[known].what != kind::program) {
        if (const auto problem = check_newcomer(name, known, field::name); !problem.ok()) return problem;
    } else if (const thing& earlier = things_[known]; earlier.loaded) {
        const auto differs = [](field where, std::uint64_t now, std::uint64_t before) -> row_failure {
            return {where, bytes_in_words(now) + " where " + decimal(before) + " were loaded",
                    "the same size, or an unload before"};
        };
        if (earlier.bytes != size.code) return differs(field::bytes, size.code, earlier.bytes);
        if (earlier.scratch != size.scratch) return differs(field::scratch, size.scratch, earlier.scratch);
    }
    if (const auto problem = check_tag(tag); !problem.ok()) return problem;
    const place subject = known == token_table::absent ? add(name) : known;
    set(subject, {.what = kind::program, .bytes = size.code, .scratch = size.scratch, .loaded = true});
    detail more;
    more.scratch = size.scratch;
    more.reload_us = size.reload_us;
    append(op::load, subject, tag, size.code, &more);
    return {};
}

row_failure workload_builder::run(std::string_view program, const run_operands& operands, std::string_view tag,
                                  std::uint64_t us) {
    place known = 0;
    if (const auto problem = find_program(program, known); !problem.ok()) return problem;
    if (const auto problem = check_tag(tag); !problem.ok()) return problem;
    const std::size_t operands_before = made_.operands.size();
    const std::size_t outputs_before = made_.outputs.size();
    const row_failure problem = add_operands(operands);
    if (!problem.ok()) {
        for (; !added_.empty(); added_.pop_back()) {
            ids_.take_back(added_.back());
            made_.ids.pop_back();
        }
        things_.resize(ids_.size());
        made_.operands.resize(operands_before);
        made_.outputs.resize(outputs_before);
        return problem;
    }
    detail more = describe(operands, operands_before, outputs_before);
    more.us = us;
    for (const place ended : donated_) set(ended, {});
    for (std::size_t at = 0; at < outputs_.size(); ++at)
        set(outputs_[at], {.what = kind::buffer, .bytes = operands.outputs[at].bytes});
    things_[known].loaded = true;
    append(op::run, known, tag, 0, &more);
    return {};
}

row_failure workload_builder::unload(std::string_view name, std::string_view tag) {
    place known = 0;
    if (const auto problem = find_program(name, known); !problem.ok()) return problem;
    if (!things_[known].loaded)
        return {field::name, "program " + named(name) + ", which is not loaded", "a loaded program"};
    if (const auto problem = check_tag(tag); !problem.ok()) return problem;
    things_[known].loaded = false;
    append(op::unload, known, tag);
    return {};
}

row_failure workload_builder::pin(std::string_view name, std::string_view tag) {
    place held = 0;
    if (const auto problem = find_buffer(name, field::name, held); !problem.ok()) return problem;
    if (const auto problem = check_tag(tag); !problem.ok()) return problem;
    ++things_[held].pins;
    append(op::pin, held, tag);
    return {};
}

row_failure workload_builder::unpin(std::string_view name, std::string_view tag) {
    place held = 0;
    if (const auto problem = find_buffer(name, field::name, held); !problem.ok()) return problem;
    if (things_[held].pins == 0)
        return {field::name, "buffer " + named(name) + ", which is not pinned", "a pinned buffer"};
    if (const auto problem = check_tag(tag); !problem.ok()) return problem;
    --things_[held].pins;
    append(op::unpin, held, tag);
    return {};
}

row_failure workload_builder::sync(std::string_view tag) {
    if (const auto problem = check_tag(tag); !problem.ok()) return problem;
    append(op::sync, 0, tag);
    return {};
}

row_failure workload_builder::at_time(std::uint64_t microseconds) {
    if (microseconds < time_)
        return {field::time, "time " + decimal(microseconds) + " after " + decimal(time_), "times that never fall"};
    time_ = microseconds;
    while (made_.times.size() < made_.rows.size()) made_.times.push_back(0);
    timed_ = true;
    return {};
}

workload workload_builder::finish() && {
    made_.tags = tags_.take();
    return std::move(made_);
}

bool workload_builder::is_token(std::string_view text) {
    for (const char each : text) {
        if (each == ',' || static_cast<unsigned char>(each) <= ' ' || each == '\x7f') return false;
    }
    return !text.empty();
}

token_table workload_builder::with_empty_tag() {
    token_table tags;
    tags.intern({});
    return tags;
}

row_failure workload_builder::check_newcomer(std::string_view name, place known, field where) const {
    if (known == token_table::absent) {
        if (!is_token(name)) return malformed_id(name, where);
        if (made_.ids.size() >= token_table::absent) return too_many(where);
        return {};
    }
    if (things_[known].what == kind::buffer) return {where, "id " + named(name) + " of a live buffer", new_id};
    if (things_[known].what == kind::program) return {where, "id " + named(name) + " of a program", new_id};
    return {};
}

row_failure workload_builder::check_tag(std::string_view tag) {
    if (tags_.find(tag) != token_table::absent) return {};
    for (const char each : tag) {
        if (each == ',' || static_cast<unsigned char>(each) < ' ' || each == '\x7f')
            return {field::tag, named(tag), "a tag without commas or control characters"};
    }
    if (tags_.size() >= token_table::absent) return too_many(field::tag);
    return {};
}

row_failure workload_builder::find_buffer(std::string_view name, field where, place& held) const {
    held = ids_.find(name);
    if (held == token_table::absent && !is_token(name)) return malformed_id(name, where);
    const kind what = held == token_table::absent ? kind::dead : things_[held].what;
    if (what == kind::buffer) return {};
    if (what == kind::program) return {where, "id " + named(name) + " of a program", live_buffer};
    return {where, "id " + named(name) + ", which is not live", live_buffer};
}

row_failure workload_builder::find_program(std::string_view name, place& known) const {
    known = ids_.find(name);
    if (known == token_table::absent && !is_token(name)) return malformed_id(name, field::name);
    const kind what = known == token_table::absent ? kind::dead : things_[known].what;
    if (what == kind::program) return {};
    if (what == kind::buffer) return {field::name, "id " + named(name) + " of a live buffer", loaded_program};
    return {field::name, "id " + named(name) + ", which was never loaded", loaded_program};
}

row_failure workload_builder::add_operands(const run_operands& operands) {
    ++runs_;
    donated_.clear();
    outputs_.clear();
    added_.clear();
    constexpr std::size_t max_entries = no_detail;
    const std::size_t more = operands.inputs.size() + operands.donated.size();
    if (max_entries - made_.operands.size() < more) return too_many(field::inputs);
    if (max_entries - made_.outputs.size() < operands.outputs.size()) return too_many(field::outputs);
    for (const std::string_view name : operands.inputs) {
        place held = 0;
        if (const auto problem = find_buffer(name, field::inputs, held); !problem.ok()) return problem;
        mark(held, role::input);
        made_.operands.push_back(things_[held].number);
    }
    for (const std::string_view name : operands.donated) {
        place held = 0;
        if (const auto problem = find_buffer(name, field::donated, held); !problem.ok()) return problem;
        if (is_marked(held, role::input))
            return {field::donated, named(name) + ", which is an input of the same run",
                    "a donated buffer that is not an input"};
        if (is_marked(held, role::donated)) return {field::donated, named(name) + " twice", "each donated buffer once"};
        mark(held, role::donated);
        made_.operands.push_back(things_[held].number);
        donated_.push_back(held);
    }
    for (const named_size& output : operands.outputs) {
        const place known = ids_.find(output.name);
        if (known != token_table::absent && is_marked(known, role::output))
            return {field::outputs, named(output.name) + " twice", "each output once"};
        if (known == token_table::absent || !is_marked(known, role::donated)) {
            const auto problem = check_newcomer(output.name, known, field::outputs);
            if (!problem.ok()) return problem;
        }
        const place subject = known == token_table::absent ? add(output.name) : known;
        if (known == token_table::absent) added_.push_back(subject);
        mark(subject, role::output);
        made_.outputs.push_back({things_[subject].number, output.bytes});
        outputs_.push_back(subject);
    }
    return {};
}

detail workload_builder::describe(const run_operands& operands, std::size_t operands_before,
                                  std::size_t outputs_before) {
    const auto range = [](std::size_t first, std::size_t count) {
        return operand_range{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
    };
    detail more;
    more.inputs = range(operands_before, operands.inputs.size());
    more.donated = range(operands_before + operands.inputs.size(), operands.donated.size());
    more.outputs = range(outputs_before, operands.outputs.size());
    return more;
}

bool workload_builder::is_marked(place at, role as) const {
    return things_[at].last_run == runs_ && things_[at].last_role == as;
}

void workload_builder::mark(place at, role as) {
    things_[at].last_run = runs_;
    things_[at].last_role = as;
}

workload_builder::place workload_builder::add(std::string_view name) {
    const place subject = ids_.intern(name);
    things_.resize(ids_.size());
    things_[subject] = {.number = static_cast<id>(made_.ids.size())};
    made_.ids.emplace_back(name);
    return subject;
}

void workload_builder::set(place at, thing meaning) {
    meaning.number = things_[at].number;
    things_[at] = meaning;
}

void workload_builder::forget_ended() {
    if (things_.size() < forget_at_ || ids_.has_free_number()) return;
    std::vector<bool> is_ended(things_.size());
    std::size_t ended = 0;
    for (std::size_t at = 0; at < things_.size(); ++at) {
        is_ended[at] = things_[at].what == kind::dead;
        ended += is_ended[at];
    }
    if (2 * ended >= things_.size())
        ids_.forget(is_ended);
    else
        forget_at_ = 2 * things_.size();
}

void workload_builder::append(op what, place subject, std::string_view tag, std::uint64_t bytes, const detail* more) {
    row made{.bytes = bytes, .tag = tag.empty() ? 0 : tags_.intern(tag), .what = what};
    if (what != op::sync) made.subject = things_[subject].number;
    if (more != nullptr) {
        made.detail = static_cast<std::uint32_t>(made_.details.size());
        made_.details.push_back(*more);
    }
    made_.rows.push_back(made);
    if (timed_) made_.times.push_back(time_);
    if (line_ != 0) made_.lines.push_back(line_);
    forget_ended();
}

}  // namespace hbm::trace
