#pragma once

/// What was asked of a memory, as a value that can be tried again: on a copy, or on another manager.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm {

/// True for the failures that room in memory would help.
[[nodiscard]] constexpr bool for_want_of_room(error why) noexcept {
    return why == error::buffer_does_not_fit || why == error::code_does_not_fit || why == error::scratch_does_not_fit;
}

/// A request, a program to be loaded or brought back, or a run. Like a `run_spec` it refers to the caller's lists and
/// names. What may change about it, so that it succeeds, it keeps for itself.
class attempt {
public:
    enum class kind : std::uint8_t { nothing, allocate, load, reload, run };

    attempt() = default;
    attempt(const request& asked) noexcept : what_(kind::allocate), asked_(asked) {}  // NOLINT: meant to convert
    attempt(const program_spec& spec) noexcept : what_(kind::load), spec_(spec) {}    // NOLINT: meant to convert
    attempt(program evicted) noexcept : what_(kind::reload), program_(evicted) {}     // NOLINT: meant to convert
    attempt(program subject, const run_spec& run) : what_(kind::run), program_(subject), run_(run) {}

    /// What failed; nothing, where the call itself was wrong. `memory` is the manager that reported it, and must live
    /// as long as the attempt, and refuse no other run. Of a run that is not the latest it refused only one output is
    /// known (`is_part`).
    template <class Memory>
    [[nodiscard]] static attempt from(const Memory& memory, const failure& why) {
        if (!for_want_of_room(why.reason)) return {};
        if (memory.refused().why == why) return {memory.refused().subject, memory.refused().spec()};
        if (why.reason == error::buffer_does_not_fit && why.slot == no_index)
            return request{.bytes = why.requested, .alignment = why.alignment, .label = why.label};
        if (why.reason == error::buffer_does_not_fit) {
            attempt one_output{memory.handle_of(why.slot), run_spec{}};
            one_output.output_ = {output{why.requested, why.label}};
            one_output.is_part_ = true;
            return one_output;
        }
        if (why.slot != no_index) return memory.handle_of(why.slot);
        return program_spec{.name = memory.name_of(why.label), .code = why.code, .scratch = why.scratch};
    }

    [[nodiscard]] kind what() const noexcept { return what_; }
    [[nodiscard]] const request& asked() const noexcept { return asked_; }
    [[nodiscard]] const program_spec& spec() const noexcept { return spec_; }
    /// Which program is to come back or to run.
    [[nodiscard]] program subject() const noexcept { return program_; }

    /// True when it is one output of a run, and what else the run asked for is not known.
    [[nodiscard]] bool is_part() const noexcept { return is_part_; }
    /// True for the block of an argument of the run, whose handles must be good. O(arguments).
    [[nodiscard]] bool uses(block_index block) const noexcept {
        for (const list<buffer>& arguments : {run_.inputs, run_.donated})
            for (const buffer argument : arguments)
                if (argument.index == block) return true;
        return false;
    }
    /// True for an argument that is donated, and is only kept this time or taken over by nobody.
    [[nodiscard]] bool is_donated(std::uint32_t at) const noexcept { return at >= run_.inputs.size(); }

    /// Tries it. The reason of what it returns is `error::none` if it succeeded.
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

    /// Calls `visit` with the run as it is now.
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

    /// The arguments of the run that are not donated and could be: inputs that are named once, and donated ones that
    /// are kept. Counted inputs first, then donated ones. O(arguments^2) where there are many inputs.
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
    /// Donates an argument of the run as well.
    void donate(std::uint32_t argument) { given_.push_back(argument); }

    /// Which part of it is negotiable when it failed for the reason `why`: null where there is none, or where it is not
    /// clear which.
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
    std::vector<output> output_;        // instead of the run's own
    std::vector<std::uint32_t> given_;  // arguments that are donated as well
    bool is_part_ = false;
};

}  // namespace hbm
