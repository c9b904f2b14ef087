#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/planning/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::inline v0 {

/// Returns true for failures that more free memory would prevent.
[[nodiscard]] constexpr bool for_want_of_room(error why) noexcept {
    return why == error::buffer_does_not_fit || why == error::code_does_not_fit || why == error::scratch_does_not_fit;
}

/// A call of a manager as a value, to be tried on a copy or another manager: an allocation, load, reload or run.
/// Refers to the caller's lists and names, like `run_spec`; sizes and donations that a remedy may change are copied.
class attempt {
public:
    enum class kind : std::uint8_t { nothing, allocate, load, reload, run };

    attempt() = default;
    attempt(const request& request) noexcept : what_(kind::allocate), asked_(request) {}  // NOLINT: meant to convert
    attempt(const program_spec& spec) noexcept : what_(kind::load), spec_(spec) {}        // NOLINT: meant to convert
    attempt(program evicted) noexcept : what_(kind::reload), program_(evicted) {}         // NOLINT: meant to convert
    attempt(program subject, const run_spec& run) : what_(kind::run), program_(subject), run_(run) {}

    /// Returns the attempt that failed with `why`; `kind::nothing` if more free memory would not have helped.
    /// Requires: `memory` reported the failure, outlives the attempt, and refuses no other run meanwhile.
    /// If the run is not the latest refused run, only the output that did not fit is available (`is_part`).
    template <class Memory>
    [[nodiscard]] static attempt from(const Memory& memory, const failure& why) {
        // A failure holds figures, not the call. From them an allocation, a load or a reload can be made again, as
        // these have a single size and a tag or a slot. A run cannot: its lists are the caller's. So the manager keeps
        // the run that it refused last, and of any older one only the output that failed is tried, which the text then
        // says.
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
    [[nodiscard]] program subject() const noexcept { return program_; }

    /// Returns true for a run of which only a single output is available.
    [[nodiscard]] bool is_part() const noexcept { return is_part_; }
    /// Returns true if `block` is an argument of the run.
    /// Requires: the run's handles are valid.
    [[nodiscard]] bool uses(block_index block) const noexcept {
        for (const list<buffer>& arguments : {run_.inputs, run_.donated})
            for (const buffer argument : arguments)
                if (argument.index == block) return true;
        return false;
    }
    [[nodiscard]] bool is_donated(std::uint32_t at) const noexcept { return at >= run_.inputs.size(); }
    [[nodiscard]] bool donates() const noexcept { return run_.donated.size() != 0; }

    /// Makes the call on `memory`. Returns its failure, with reason `error::none` if it succeeded.
    template <class Memory>
    failure on(Memory& memory) const {
        const auto why = [](const auto& result) { return result ? failure{} : result.error(); };
        switch (what_) {
        case kind::allocate: return why(memory.allocate(asked_));
        case kind::load: return why(memory.load(spec_));
        case kind::reload: return why(memory.load(program_));
        case kind::run: return with_run([&](const run_spec& spec) { return why(memory.run(program_, spec)); });
        case kind::nothing: break;
        }
        return {};
    }

    /// Calls `visit` with the run, its sizes and donations as they are now. A run refers to lists, so those that differ
    /// from the caller's live in this call.
    template <class Visit>
    auto with_run(Visit visit) const {
        // Arguments are counted over inputs and donated ones together, so an input that is donated now moves from one
        // list to the other and the indices of `kept` change. The lists are made anew for each visit, for a `run_spec`
        // only refers to lists: held as members they would have to be repaired in each copy of the attempt.
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

    /// Returns the arguments that could also be donated: inputs that are listed once, donated ones that are kept.
    /// Cost: O(inputs^2).
    [[nodiscard]] std::vector<std::uint32_t> could_donate() const {
        // An input that is listed twice stays out: donated once, it would still be read by the other, and the manager
        // refuses such a run.
        std::vector<std::uint32_t> arguments;
        for (std::uint32_t at = 0; at < run_.inputs.size(); ++at)
            if (std::count(run_.inputs.begin(), run_.inputs.end(), run_.inputs[at]) == 1) arguments.push_back(at);
        for (const std::uint32_t at : run_.kept)
            arguments.push_back(static_cast<std::uint32_t>(run_.inputs.size()) + at);
        return arguments;
    }
    [[nodiscard]] buffer argument(std::uint32_t at) const noexcept {
        return at < run_.inputs.size() ? run_.inputs[at] : run_.donated[at - run_.inputs.size()];
    }
    void donate(std::uint32_t argument) { given_.push_back(argument); }

    /// Returns the size in bytes to reduce so that the attempt, which failed for the reason `why`, can succeed.
    /// Null if there is no such size, or more than one.
    [[nodiscard]] std::uint64_t* negotiable(error why) noexcept {
        // A smaller size is advice only if it is clear which one to reduce. Of a program it is the part that failed,
        // but code alone only if there is no scratch, whose place depends on the code. A run has such a size if it has
        // one output and no donor that this output may take over: with a donor, another size may fit by taking it over,
        // and less is not easier.
        if (what_ == kind::allocate) return &asked_.bytes;
        if (what_ == kind::load && why == error::scratch_does_not_fit) return &spec_.scratch;
        if (what_ == kind::load && spec_.scratch == 0) return &spec_.code;
        if (what_ != kind::run || why != error::buffer_does_not_fit || !run_.donated.empty()) return nullptr;
        if (output_.empty() && run_.outputs.size() == 1) output_ = {run_.outputs[0]};
        return output_.empty() ? nullptr : &output_.front().bytes;
    }

private:
    [[nodiscard]] bool is_given(std::uint32_t argument) const noexcept {
        return std::find(given_.begin(), given_.end(), argument) != given_.end();
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

/// A remedy for a failed attempt: changes to the memory or to the attempt that make it succeed. Sizes in bytes.
struct advice {
    std::vector<buffer> unpin = {};             ///< buffers whose pins are all removed
    plan steps = {};                            ///< waits, evictions and moves, carried out after that
    std::vector<std::uint32_t> donate = {};     ///< further arguments of the run to donate
    std::optional<std::uint64_t> ask_for = {};  ///< a smaller size for the request
    // The capacity that the manager would need. Memory grows at its top; blocks stay in place.
    std::optional<std::uint64_t> capacity = {};

    /// Returns true if there is a step of this kind.
    [[nodiscard]] bool has(step_kind kind) const noexcept { return steps.has(kind); }
    /// Returns true if the remedy consists of waits, moves and evictions alone.
    [[nodiscard]] bool is_only_steps() const noexcept {
        return unpin.empty() && donate.empty() && !ask_for && !capacity;
    }
    /// Returns the modelled time of the steps in nanoseconds; the largest number if the advice is a smaller request or
    /// a larger memory, so that these sort last.
    [[nodiscard]] std::uint64_t nanoseconds() const noexcept {
        return ask_for || capacity ? ~std::uint64_t{0} : steps.nanoseconds;
    }

    friend bool operator==(const advice&, const advice&) = default;
};

/// Applies a remedy to `memory`, a fork or the manager itself, and to the attempt, which failed for the reason `why`.
/// Requires: the device has the advised capacity.
/// Fails: returns false if the remedy does not apply, or the device failed to copy.
template <class Memory>
bool apply(const advice& given, Memory& memory, attempt& tried, error why) {
    // Memory grows first and pins go before the steps, for these were planned for the memory after both: a move may end
    // where the memory has just grown, or concern a block that was pinned. What changes the attempt itself comes last.
    if (given.capacity) {
        if constexpr (requires { memory.extend(*given.capacity); }) {
            if (!memory.extend(*given.capacity)) return false;
        } else {
            return false;
        }
    }
    for (const buffer pinned : given.unpin)
        while (memory.pins(pinned) != 0)
            if (!memory.unpin(pinned)) return false;
    if (!memory.relieve(given.steps)) return false;
    for (const std::uint32_t argument : given.donate) tried.donate(argument);
    if (!given.ask_for) return true;
    std::uint64_t* bytes = tried.negotiable(why);
    if (bytes != nullptr) *bytes = *given.ask_for;
    return bytes != nullptr;
}

}  // namespace hbm::inline v0
