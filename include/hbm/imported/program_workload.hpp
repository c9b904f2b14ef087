#pragma once
// A workload of programs that run step after step on one device, as a training loop or a server runs them.
//
// First each program is loaded and its arguments are allocated. Then come the steps. An output that becomes an argument
// of the next step takes over its memory if the program donates it; else the old argument is freed after the run. An
// output that becomes no argument is freed when the next run of its program has replaced it. After the last step
// everything stays in memory, as it would between two steps.

#include <hbm/imported/step_pairs.hpp>
#include <hbm/imported/xla/program.hpp>
#include <hbm/trace/misuse.hpp>
#include <hbm/trace/outcome.hpp>
#include <hbm/trace/text.hpp>
#include <hbm/trace/workload.hpp>
#include <hbm/trace/workload_builder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::imported {

/// A program and how often it runs.
struct scheduled_program {
    xla::imported_program what;
    std::string name;         ///< the id of the program; different from all others
    std::uint64_t runs = 3;   ///< how often it runs
    std::uint64_t every = 1;  ///< it runs in every so many-th step, the first included; at least 1
    donation_choice donation = donation_choice::as_is;
};

/// Builds the workload of some programs.
class program_workload_builder {
public:
    /// Of these programs, which must outlive the builder; the workload gets this name.
    program_workload_builder(std::span<const scheduled_program> programs, std::string name)
        : programs_(programs), builder_(std::move(name)) {}

    /// The workload, or what is wrong with the programs. O(runs x (arguments + outputs)).
    trace::workload_or<std::string> build() {
        for (const scheduled_program& each : programs_) prepare(each);
        for (std::uint64_t step = 0; problem_.empty() && run_step(step); ++step) {
        }
        if (!problem_.empty()) return problem_;
        return std::move(builder_).finish();
    }

private:
    /// What a program has in memory.
    struct running {
        std::vector<step_pair> pairs;        ///< by output
        std::vector<std::string> arguments;  ///< ids of the buffers
        std::vector<std::string> leftovers;  ///< ids of outputs that became no argument
        std::vector<std::string> argument_tags;
        std::vector<std::string> output_tags;
        std::uint64_t runs = 0;
    };

    void prepare(const scheduled_program& each) {
        running made;
        made.pairs = pair_steps(each.what, each.donation);
        const auto bytes = [](const std::optional<rounded_size>& size) { return size ? size->bytes : 0; };
        trace::program_size size;
        size.code = saturating_add(bytes(each.what.code), bytes(each.what.constant));
        size.scratch = bytes(each.what.temporary);
        check(builder_.load(each.name, size));
        for (const xla::program_argument& argument : each.what.arguments) {
            made.arguments.push_back(each.name + "/arg" + trace::decimal(argument.parameter) +
                                     path_words(argument.index));
            made.argument_tags.push_back(tag_of("argument", argument.shape));
            check(builder_.alloc(made.arguments.back(), argument.size.bytes, made.argument_tags.back()));
        }
        for (const xla::program_output& output : each.what.outputs)
            made.output_tags.push_back(tag_of("output", output.shape));
        running_.push_back(std::move(made));
    }

    /// Whether any program has still to run in this step or later.
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

    void run(const scheduled_program& program, running& state) {
        ++state.runs;
        std::vector<bool> is_donated(state.arguments.size(), false);
        for (const step_pair& each : state.pairs)
            if (each.argument && each.is_donated) is_donated[*each.argument] = true;
        std::vector<std::string_view> inputs;
        std::vector<std::string_view> donated;
        for (std::size_t at = 0; at < state.arguments.size(); ++at)
            (is_donated[at] ? donated : inputs).push_back(state.arguments[at]);
        std::vector<std::string> made;
        for (std::size_t at = 0; at < state.pairs.size(); ++at)
            made.push_back(program.name + "/out" + output_words(program.what.outputs[at].index) + "@" +
                           trace::decimal(state.runs));
        std::vector<trace::named_size> outputs;
        for (std::size_t at = 0; at < made.size(); ++at)
            outputs.push_back({made[at], program.what.outputs[at].size.bytes});
        check(builder_.run(program.name, {inputs, donated, outputs}, "run"));
        for (const std::string& each : state.leftovers) check(builder_.free(each));
        state.leftovers.clear();
        for (std::size_t at = 0; at < made.size(); ++at) {
            const step_pair& pair = state.pairs[at];
            if (!pair.argument) {
                state.leftovers.push_back(made[at]);
                continue;
            }
            std::string& slot = state.arguments[*pair.argument];
            if (!pair.is_donated) check(builder_.free(slot));
            slot = made[at];
        }
    }

    static std::string path_words(const index_path& index) {
        std::string words;
        for (const std::uint64_t each : index) words += '.' + trace::decimal(each);
        return words;
    }
    static std::string output_words(const index_path& index) {
        const std::string words = path_words(index);
        return words.empty() ? words : words.substr(1);
    }

    /// A shape without commas, which a tag cannot have: `argument bf16[8x128]`.
    static std::string tag_of(std::string_view role, std::string_view shape) {
        constexpr std::size_t longest = 60;
        std::string tag(role);
        const std::string plain = xla::without_layouts(shape);
        if (plain.empty() || plain.size() > longest) return tag;
        tag += ' ';
        for (const char each : plain)
            if (static_cast<unsigned char>(each) >= ' ' && each != '\x7f') tag += each == ',' ? 'x' : each;
        return tag;
    }

    void check(const trace::complaint& problem) {
        if (problem.ok() || !problem_.empty()) return;
        problem_ = "found " + trace::found_words(problem) + ", expected " + trace::expected_words(problem);
    }

    std::span<const scheduled_program> programs_;
    std::vector<running> running_;
    trace::workload_builder builder_;
    std::string problem_;
};

}  // namespace hbm::imported
