#pragma once

#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/manager/call_parts.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace hbm::inline v0::detail {

/// Returns true if a request surely succeeds without relief: a free run holds it wherever the placement puts it.
/// Cost: a search of the placement.
template <class Manager>
[[nodiscard]] constexpr bool surely_fits(const Manager& memory, std::uint64_t bytes, const request& like) {
    using quanta = typename Manager::quanta;
    const auto& blocks = memory.state().blocks;
    const std::optional<quanta> length = to_quanta<quanta>(bytes, memory.spec().quantum);
    if (!length || like.alignment > 1) return false;
    return has_run_of(blocks, most_taken(blocks, {.length = *length}));
}

/// Returns the failure of a call; its reason is `error::none` if the call succeeded.
template <class T>
[[nodiscard]] constexpr failure reason_of(const result<T>& outcome) noexcept {
    return outcome ? failure{} : outcome.error();
}

/// The failure of a call on several managers, and the number of the manager that failed.
struct joint_failure {
    failure why;
    std::size_t at = 0;
};

/// A call on several managers, all or none. A friend of managers, to report failures of forks.
class joint_call {
public:
    /// Makes `call(manager, number)` on all managers, or on none. Those that are not `sure` to succeed are first tried
    /// on forks, unless there is only one. If a device then fails to copy, calls `undo` for the managers before it:
    /// those with moves go first. `visit(number, act)` calls `act` with a manager.
    template <class Visit, class Sure, class Call, class Undo>
    constexpr joint_failure make(std::size_t count, Visit visit, Sure sure, Call call, Undo undo) {
        enum : std::uint8_t { still, moving, over };
        stages_.assign(count, std::uint8_t{still});
        std::size_t unsure = 0;
        for (std::size_t at = 0; at < count; ++at) {
            const bool is_sure = visit(at, [&](const auto& memory) { return sure(memory, at); });
            stages_[at] = is_sure ? still : moving;
            unsure += is_sure ? 0 : 1;
        }
        for (std::size_t at = 0; at < count && unsure > 1; ++at) {
            if (stages_[at] == still) continue;
            const failure why = visit(at, [&](auto& memory) {
                auto trial = memory.fork();
                const std::uint64_t moves = trial.done_so_far().moves;
                const failure reason = call(trial, at);
                if (trial.done_so_far().moves == moves) stages_[at] = still;
                if constexpr (requires { memory.report_failure(trial, reason); })
                    if (reason.reason != error::none) {
                        memory.names_ = trial.names_;  // tags of the failure may be new
                        memory.report_failure(trial, reason);
                    }
                return reason;
            });
            if (why.reason != error::none) return {why, at};
        }
        for (const std::uint8_t stage : {moving, still}) {
            for (std::size_t at = 0; at < count; ++at) {
                if (stages_[at] != stage) continue;
                const failure why = visit(at, [&](auto& memory) { return call(memory, at); });
                if (why.reason == error::none) {
                    stages_[at] = over;
                    continue;
                }
                for (std::size_t undone = 0; undone < count; ++undone)
                    if (stages_[undone] == over) visit(undone, [&](auto& memory) { undo(memory, undone); });
                return {why, at};
            }
        }
        return {};
    }

private:
    trivial_vector<std::uint8_t> stages_;  // a member, so that its memory is allocated once
};

}  // namespace hbm::inline v0::detail
