#pragma once

#include <hbm/core/result.hpp>
#include <hbm/core/run_result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/memory_set/specs.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0::detail {

/// The part of a run that lies in one memory, and the indices that its arguments and outputs have in the whole run.
/// Its lists are reused from run to run.
class bound_run {
public:
    /// Returns the run of memory `number`, valid until the next one is bound.
    /// Requires: all indices of `spec` are valid.
    template <class Kind>
    constexpr run_spec bind(std::size_t number, const set_run_spec<Kind>& spec) {
        arguments_.clear(), argument_at_.clear(), kept_.clear(), outputs_.clear(), output_at_.clear();
        inputs_ = static_cast<std::uint32_t>(spec.inputs.size());
        for (std::uint32_t at = 0; at < inputs_; ++at) add(spec.inputs[at], number, at);
        inputs_here_ = arguments_.size();
        donors_.assign(spec.donated.size(), no_index);
        for (std::uint32_t at = 0; at < spec.donated.size(); ++at)
            if (add(spec.donated[at], number, inputs_ + at))
                donors_[at] = static_cast<std::uint32_t>(arguments_.size() - inputs_here_ - 1);
        for (const std::uint32_t kept : spec.kept)
            if (donors_[kept] != no_index) kept_.push_back(donors_[kept]);
        for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
            const set_output<Kind>& item = spec.outputs[at];
            if (item.kind.number() != number) continue;
            const std::uint32_t partner = item.alias == aliasing::any ? no_index : donors_[item.partner];
            outputs_.push_back(output(item.bytes, item.label, item.alias, partner, item.expected));
            output_at_.push_back(at);
        }
        return {.inputs = {arguments_.data(), inputs_here_},
                .donated = {arguments_.data() + inputs_here_, arguments_.size() - inputs_here_},
                .outputs = outputs_,
                .kept = kept_,
                .run_us = spec.run_us,
                .arguments_may_move = spec.arguments_may_move};
    }

    /// Returns a failure of the bound run with the indices of the whole run.
    [[nodiscard]] constexpr failure located(failure why) const noexcept {
        const bool of_argument = why.reason == error::donated_twice || why.reason == error::donated_and_used ||
                                 why.reason == error::kept_twice || why.reason == error::donor_is_referenced;
        if (why.argument != no_index) why.argument = (of_argument ? argument_at_ : output_at_)[why.argument];
        if (why.first_use != no_index) why.first_use = argument_at_[why.first_use];
        return why;
    }
    /// Enters the outputs of the bound run into those of the whole run.
    constexpr void enter(const run_result& ran, std::size_t number, set_run_result& total) const noexcept {
        for (std::size_t at = 0; at < output_at_.size(); ++at) {
            total.outputs[output_at_[at]] = {ran.outputs[at], static_cast<std::uint8_t>(number), false};
            const std::uint32_t donor = ran.donors[at];
            total.donors[output_at_[at]] = donor == no_index ? no_index : argument_at_[inputs_here_ + donor] - inputs_;
        }
    }

private:
    constexpr bool add(const set_buffer& argument, std::size_t number, std::uint32_t at) {
        if (argument.adopted || argument.memory != number) return false;
        arguments_.push_back(argument.held);
        argument_at_.push_back(at);
        return true;
    }

    std::uint32_t inputs_ = 0;     // of the whole run
    std::size_t inputs_here_ = 0;  // of the bound run
    trivial_vector<buffer> arguments_;
    trivial_vector<std::uint32_t> argument_at_;
    trivial_vector<std::uint32_t> donors_;  // index in the bound run by index in the whole run, or `no_index`
    trivial_vector<std::uint32_t> kept_;
    trivial_vector<output> outputs_;
    trivial_vector<std::uint32_t> output_at_;
};

}  // namespace hbm::inline v0::detail
