#pragma once

/// An attempt: a call of a manager as a value, which can be tried again on a copy or on another manager.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm {

/// True for failures that more free memory would prevent.
[[nodiscard]] constexpr bool for_want_of_room(error why) noexcept {
    return why == error::buffer_does_not_fit || why == error::code_does_not_fit || why == error::scratch_does_not_fit;
}

/// An allocation, a load, a reload or a run. Like a `run_spec` it refers to the caller's lists and names; sizes and
/// donations that a remedy may change are copied.
class attempt {
public:
    /// The kind of call.
    enum class kind : std::uint8_t { nothing, allocate, load, reload, run };

    attempt() = default;
    attempt(const request& asked) noexcept : what_(kind::allocate), asked_(asked) {}  // NOLINT: meant to convert
    attempt(const program_spec& spec) noexcept : what_(kind::load), spec_(spec) {}    // NOLINT: meant to convert
    attempt(program evicted) noexcept : what_(kind::reload), program_(evicted) {}     // NOLINT: meant to convert
    attempt(program subject, const run_spec& run) : what_(kind::run), program_(subject), run_(run) {}

    /// The attempt that failed with `why`; `kind::nothing` if more free memory would not have helped. `memory` is the
    /// manager that reported the failure; it must outlive the attempt and refuse no other run meanwhile. Of a run that
    /// is not the latest refused run, only the output that did not fit is known (`is_part`).
    template <class Memory>
    [[nodiscard]] static attempt from(const Memory& memory, const failure& why) {
        if (!for_want_of_room(why.reason)) return {};
        if (memory.refused().why == why) return {memory.refused().subject, memory.refused().spec()};
        if (why.reason == error::buffer_does_not_fit && why.slot == no_index)
            return request{.bytes = why.requested, .alignment = why.alignment, .label = why.label};
        if (why.reason == error::buffer_does_not_fit) {
            attempt single_output{memory.handle_of(why.slot), run_spec{}};
            single_output.output_ = {output{why.requested, why.label}};
            single_output.is_part_ = true;
            return single_output;
        }
        if (why.slot != no_index) return memory.handle_of(why.slot);
        return program_spec{.name = memory.name_of(why.label), .code = why.code, .scratch = why.scratch};
    }

    [[nodiscard]] kind what() const noexcept { return what_; }
    [[nodiscard]] const request& asked() const noexcept { return asked_; }
    [[nodiscard]] const program_spec& spec() const noexcept { return spec_; }
    /// The program to be loaded again or to run.
    [[nodiscard]] program subject() const noexcept { return program_; }

    /// True for a run of which only a single output is known.
    [[nodiscard]] bool is_part() const noexcept { return is_part_; }
    /// True if `block` is an argument of the run, whose handles must be valid. O(arguments).
    [[nodiscard]] bool uses(block_index block) const noexcept {
        for (const list<buffer>& arguments : {run_.inputs, run_.donated})
            for (const buffer argument : arguments)
                if (argument.index == block) return true;
        return false;
    }
    /// True for an argument that is in `run_spec::donated`.
    [[nodiscard]] bool is_donated(std::uint32_t at) const noexcept { return at >= run_.inputs.size(); }

    /// Makes the call on `memory`. Returns its failure, with reason `error::none` if it succeeded.
    template <class Memory>
    failure on(Memory& memory) const {
        const auto why = [](const auto& result) { return result ? failure{} : result.error(); };
        switch (what_) {
        case kind::allocate:
            return why(memory.allocate(asked_));
        case kind::load:
            return why(memory.load(spec_));
        case kind::reload:
            return why(memory.load(program_));
        case kind::run:
            return with_run([&](const run_spec& spec) { return why(memory.run(program_, spec)); });
        case kind::nothing:
            break;
        }
        return {};
    }

    /// Calls `visit` with the run, including its changes.
    template <class Visit>
    auto with_run(Visit visit) const {
        run_spec spec = run_;
        if (!output_.empty()) spec.outputs = output_;
        if (given_.empty()) return visit(spec);
        std::vector<buffer> inputs;
        std::vector<buffer> donated(run_.donated.begin(), run_.donated.end());
        for (std::uint32_t at = 0; at < run_.inputs.size(); ++at)
            (is_given(at) ? donated : inputs).push_back(run_.inputs[at]);
        std::vector<std::uint32_t> kept;
        for (const std::uint32_t at : run_.kept)
            if (!is_given(static_cast<std::uint32_t>(run_.inputs.size()) + at)) kept.push_back(at);
        spec.inputs = inputs;
        spec.donated = donated;
        spec.kept = kept;
        return visit(spec);
    }

    /// The arguments of the run that could be donated in addition: inputs that are listed once, and donated arguments
    /// that are kept. Inputs are counted first, then donated arguments. O(inputs^2).
    [[nodiscard]] std::vector<std::uint32_t> could_donate() const {
        std::vector<std::uint32_t> arguments;
        for (std::uint32_t at = 0; at < run_.inputs.size(); ++at) {
            std::size_t named = 0;
            for (const buffer other : run_.inputs) named += other == run_.inputs[at];
            if (named == 1) arguments.push_back(at);
        }
        for (const std::uint32_t at : run_.kept)
            arguments.push_back(static_cast<std::uint32_t>(run_.inputs.size()) + at);
        return arguments;
    }
    [[nodiscard]] buffer argument(std::uint32_t at) const noexcept {
        return at < run_.inputs.size() ? run_.inputs[at] : run_.donated[at - run_.inputs.size()];
    }
    /// Donates a further argument of the run.
    void donate(std::uint32_t argument) { given_.push_back(argument); }

    /// The size, in bytes, that could be reduced so that an attempt that failed for the reason `why` succeeds; null if
    /// there is none, or several sizes could be reduced.
    [[nodiscard]] std::uint64_t* negotiable(error why) noexcept {
        if (what_ == kind::allocate) return &asked_.bytes;
        if (what_ == kind::load && why == error::scratch_does_not_fit) return &spec_.scratch;
        if (what_ == kind::load && spec_.scratch == 0) return &spec_.code;
        if (what_ != kind::run || why != error::buffer_does_not_fit || !run_.donated.empty()) return nullptr;
        if (output_.empty() && run_.outputs.size() == 1) output_ = {run_.outputs[0]};
        return output_.empty() ? nullptr : &output_.front().bytes;
    }

private:
    [[nodiscard]] bool is_given(std::uint32_t argument) const noexcept {
        for (const std::uint32_t given : given_)
            if (given == argument) return true;
        return false;
    }

    kind what_ = kind::nothing;
    request asked_;
    program_spec spec_;
    program program_;
    run_spec run_;
    std::vector<output> output_;        // replaces the outputs of the run unless empty
    std::vector<std::uint32_t> given_;  // further arguments that are donated
    bool is_part_ = false;
};

}  // namespace hbm
