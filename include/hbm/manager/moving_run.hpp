#pragma once

#include <hbm/core/run_result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// An argument that moved before its run. Offsets and size in bytes.
struct moved_argument {
    std::uint32_t argument = no_index;  ///< index among the inputs and then the donated buffers of the run
    std::uint64_t from = 0;
    std::uint64_t to = 0;  ///< its offset during the run
    std::uint64_t bytes = 0;

    friend constexpr bool operator==(const moved_argument&, const moved_argument&) = default;
};

/// The result of a run whose arguments may move, with those that did: `memory.run(subject, spec, ran)`. It is the only
/// way to learn the place of a donated buffer that no output takes over. Unchanged if the run fails.
/// Cost: O(arguments) a run.
struct moving_run : run_result {
    trivial_vector<moved_argument> moved;

    /// Notes the places of the arguments before the run; called by `manager::run`.
    template <class State>
    constexpr void note_places(const State& state, const run_spec& spec) {
        places_.clear();
        for (const list<buffer>& arguments : {spec.inputs, spec.donated})
            for (const buffer argument : arguments)
                places_.push_back(state.is_moving(argument.index) ? state.moving.from
                                                                  : state.where(argument.index).offset);
    }
    /// Lists the arguments that are elsewhere now; called by `manager::run`.
    template <class State>
    constexpr void note_moves(const State& state, const run_spec& spec) {
        moved.clear();
        std::uint32_t at = 0;
        for (const list<buffer>& arguments : {spec.inputs, spec.donated}) {
            for (const buffer argument : arguments) {
                const extent now = state.where(argument.index);
                if (now.offset != places_[at]) moved.push_back({at, places_[at], now.offset, now.size});
                ++at;
            }
        }
    }

private:
    trivial_vector<std::uint64_t> places_;
};

}  // namespace hbm::inline v0
