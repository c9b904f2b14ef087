#include "compare/workloads/program_workload.hpp"

#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/xla/shape.hpp"
#include "compare/replay/row_failure.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::compare {

namespace {

using imported::scheduled_program;

class program_workload_builder {
public:
    program_workload_builder(std::span<const scheduled_program> programs, std::string name)
        : programs_(programs), builder_(std::move(name)) {}

    trace::workload build() {
        for (const scheduled_program& each : programs_) prepare(each);
        for (std::uint64_t step = 0; run_step(step);) step = next_step(step);
        return std::move(builder_).finish();
    }

private:
    /// Place for an argument: its buffer changes from step to step.
    struct slot {
        std::string buffer;  ///< id of the buffer
        std::uint64_t bytes = 0;
        std::string shape;  ///< shape without layout
    };

    /// Buffers of a program in memory.
    struct running {
        std::vector<imported::step_pair> pairs;  ///< pairs by output
        std::vector<std::size_t> arguments;      ///< positions in `slots_`
        std::vector<std::string> leftovers;      ///< ids of outputs that became no argument
        std::uint64_t runs = 0;
    };

    void prepare(const scheduled_program& each) {
        running made;
        made.pairs = imported::pair_steps(each.what, each.donation);
        const auto bytes = [](const std::optional<imported::rounded_size>& size) { return size ? size->bytes : 0; };
        trace::program_size size;
        size.code = saturating_add(bytes(each.what.code), bytes(each.what.constant));
        size.scratch = bytes(each.what.temporary);
        check(builder_.load(each.name, size));
        shared_slots shared = find_shared(each);
        for (const imported::program_argument& argument : each.what.arguments)
            made.arguments.push_back(slot_of(each, argument, shared));
        running_.push_back(std::move(made));
    }

    /// Slots of the previous programs, by size and shape; the last ones are taken first.
    using shared_slots = std::map<std::pair<std::uint64_t, std::string>, std::vector<std::size_t>>;

    [[nodiscard]] shared_slots find_shared(const scheduled_program& program) const {
        shared_slots found;
        if (!program.shares_arguments) return found;
        for (std::size_t at = slots_.size(); at != 0; --at)
            if (const slot& each = slots_[at - 1]; !each.shape.empty())
                found[{each.bytes, each.shape}].push_back(at - 1);
        return found;
    }

    /// Returns the slot of an argument: an equal one of a previous program, or a new one.
    std::size_t slot_of(const scheduled_program& program, const imported::program_argument& argument,
                        shared_slots& shared) {
        const std::string shape = imported::without_layouts(argument.shape);
        if (const auto found = shared.find({argument.size.bytes, shape});
            found != shared.end() && !found->second.empty()) {
            const std::size_t at = found->second.back();
            found->second.pop_back();
            return at;
        }
        slots_.push_back({program.name + "/arg" + trace::decimal(argument.parameter) + dotted_path(argument.index),
                          argument.size.bytes, shape});
        check(builder_.alloc(slots_.back().buffer, argument.size.bytes, tag_of("argument", shape)));
        return slots_.size() - 1;
    }

    /// Runs a step. Returns true if any program has runs left.
    bool run_step(std::uint64_t step) {
        bool goes_on = false;
        for (std::size_t at = 0; at < programs_.size(); ++at) {
            const scheduled_program& each = programs_[at];
            running& state = running_[at];
            if (state.runs == each.runs) continue;
            if (step % each.every == 0) run(each, state);
            goes_on = goes_on || state.runs < each.runs;
        }
        return goes_on;
    }

    /// Returns the next step in which a program with runs left is due. Cost: O(programs).
    [[nodiscard]] std::uint64_t next_step(std::uint64_t step) const noexcept {
        std::uint64_t next = ~std::uint64_t{0};
        for (std::size_t at = 0; at < programs_.size(); ++at)
            if (running_[at].runs < programs_[at].runs)
                next = std::min(next, step - step % programs_[at].every + programs_[at].every);
        return next;
    }

    void run(const scheduled_program& program, running& state) {
        ++state.runs;
        std::vector<bool> is_donated(state.arguments.size(), false);
        for (const imported::step_pair& each : state.pairs)
            if (each.argument && each.is_donated) is_donated[*each.argument] = true;
        std::vector<std::string_view> inputs;
        std::vector<std::string_view> donated;
        for (std::size_t at = 0; at < state.arguments.size(); ++at)
            (is_donated[at] ? donated : inputs).push_back(slots_[state.arguments[at]].buffer);
        std::vector<std::string> made;
        for (std::size_t at = 0; at < state.pairs.size(); ++at)
            made.push_back(program.name + "/out" + output_name(program.what.outputs[at].index) + "@" +
                           trace::decimal(state.runs));
        std::vector<trace::named_size> outputs;
        for (std::size_t at = 0; at < made.size(); ++at)
            outputs.push_back({made[at], program.what.outputs[at].size.bytes});
        check(builder_.run(program.name, {inputs, donated, outputs}, "run"));
        for (const std::string& each : state.leftovers) check(builder_.free(each));
        state.leftovers.clear();
        for (std::size_t at = 0; at < made.size(); ++at) {
            const imported::step_pair& pair = state.pairs[at];
            if (!pair.argument) {
                state.leftovers.push_back(made[at]);
                continue;
            }
            std::string& buffer = slots_[state.arguments[*pair.argument]].buffer;
            if (!pair.is_donated) check(builder_.free(buffer));
            buffer = made[at];
        }
    }

    static std::string dotted_path(const imported::index_path& index) {
        std::string path;
        for (const std::uint64_t each : index) path += '.' + trace::decimal(each);
        return path;
    }
    static std::string output_name(const imported::index_path& index) {
        const std::string path = dotted_path(index);
        return path.empty() ? path : path.substr(1);
    }

    /// Returns a role with a shape, without commas, which a tag cannot have: `argument bf16[8x128]`.
    static std::string tag_of(std::string_view role, std::string_view shape) {
        constexpr std::size_t longest = 60;
        std::string tag(role);
        if (shape.empty() || shape.size() > longest) return tag;
        tag += ' ';
        for (const char each : shape)
            if (static_cast<unsigned char>(each) >= ' ' && each != '\x7f') tag += each == ',' ? 'x' : each;
        return tag;
    }

    static void check(const trace::row_failure& problem) {
        if (problem.ok()) return;
        throw usage_error("--program: found " + problem.found + ", expected " + problem.expected);
    }

    std::span<const scheduled_program> programs_;
    std::vector<running> running_;
    std::vector<slot> slots_;
    trace::workload_builder builder_;
};

}  // namespace

trace::workload workload_of(std::span<const scheduled_program> programs, std::string name) {
    return program_workload_builder(programs, std::move(name)).build();
}

}  // namespace hbm::compare
