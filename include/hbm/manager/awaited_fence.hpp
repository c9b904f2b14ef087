#pragma once

#include <hbm/core/handle.hpp>

#include <utility>

namespace hbm {

namespace detail {

/// Returns the latest fence that a manager has reached, or any device of a mesh.
template <class Memory>
[[nodiscard]] constexpr fence latest_reached(const Memory& memory) {
    if constexpr (requires { memory.reached_somewhere(); })
        return memory.reached_somewhere();
    else
        return memory.reached();
}

}  // namespace detail

/// Returns the fence that `call(memory)` would wait for, or `fence{}`. Changes nothing: `call` receives a fork.
/// A caller blocks on the fence outside of its locks, retires it, and then makes the call, which does not wait.
/// If other threads call in between, the answer is out of date: ask again.
/// Requires: `memory` is a manager, a mesh, or one of them behind a mutex.
/// Cost: O(1) if no run is in flight; else that of `fork()` and of the call.
template <class Memory, class Call>
[[nodiscard]] constexpr fence awaited_fence(const Memory& memory, Call&& call) {
    if (memory.reached() == memory.issued()) return {};
    auto trial = memory.fork();
    const fence before = detail::latest_reached(trial);
    static_cast<void>(std::forward<Call>(call)(trial));
    const fence after = detail::latest_reached(trial);
    return after == before ? fence{} : after;
}

}  // namespace hbm
