#pragma once

#include <hbm/core/handle.hpp>

#include <utility>

namespace hbm::inline v0 {

/// Returns the fence that `call(memory)` would wait for, or `fence{}`. Changes nothing: `call` receives a fork.
/// A caller blocks on the fence outside of its locks, retires it, and then makes the call, which does not wait.
/// If other threads call in between, the answer is out of date: ask again.
/// Requires: `memory` is a manager.
/// Cost: O(1) if no run is in flight; else that of two forks and of the call.
template <class Memory, class Call>
[[nodiscard]] constexpr fence awaited_fence(const Memory& memory, Call&& call) {
    if (memory.reached() == memory.issued()) return {};
    const auto now = memory.fork();
    auto trial = now;
    static_cast<void>(std::forward<Call>(call)(trial));
    return trial.reached() == now.reached() ? fence{} : trial.reached();
}

}  // namespace hbm::inline v0
