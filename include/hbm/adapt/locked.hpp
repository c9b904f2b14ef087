#pragma once

#include <hbm/manager.hpp>

#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace hbm::inline v0 {

namespace detail {

/// True for views of a manager. No compiler can reject a pointer that leaves the lock.
template <class T>
inline constexpr bool is_view = false;
template <class Quanta>
inline constexpr bool is_view<memory_view<Quanta>> = true;
template <class Quanta>
inline constexpr bool is_view<block_range<Quanta>> = true;
template <class T>
inline constexpr bool is_view<std::span<T>> = true;

}  // namespace detail

/// The result of `call_or_fork`: that of the call, and the memory as it was if the call failed.
template <class Outcome, class Forked>
struct forked_outcome {
    Outcome outcome;
    std::optional<Forked> fork;  ///< fork of the memory that refused the call; empty if the call succeeded
};

/// A manager or a mesh for several threads, behind a mutex:
///
///     hbm::locked memory{hbm::tpu::runtime_memory{hbm::tpu::v5e}};
///     const auto weights = memory.with([](auto& held) { return held.allocate(6_GiB, "weights"); });
///
/// Handles, tags, fences and failures are values, and may cross threads. Observers, devices and policies are called
/// under the lock, and must not call this object. A call that waits for runs does so under the lock, too: see
/// `awaited_fence`. Not copyable or movable, like a mutex.
template <class M>
class locked {
public:
    explicit locked(M memory) : memory_(std::move(memory)) {}
    locked(const locked&) = delete;
    locked& operator=(const locked&) = delete;

    /// Calls `act(memory)` under the lock and returns a copy of its result. Views into the memory do not compile.
    /// Requires: `act` does not call this object, and no pointer, iterator or span into it outlives the call.
    template <class Act>
    auto with(Act&& act) {
        static_assert(!detail::is_view<std::remove_cvref_t<decltype(std::forward<Act>(act)(memory_))>>,
                      "with(act): what act returns refers to the inside of a manager, which other threads change "
                      "after the call: read it inside act and return a copy");
        const std::lock_guard held(mutex_);
        return std::forward<Act>(act)(memory_);
    }

    /// Calls `act(memory)`, which returns a result. If it failed, forks the memory under the same lock, so that
    /// `explain` can take its time without the lock, on the memory that refused the call. Cost: that of the call, and
    /// of `fork` if it fails.
    template <class Act>
    [[nodiscard]] auto call_or_fork(Act&& act) {
        const std::lock_guard held(mutex_);
        auto outcome = std::forward<Act>(act)(memory_);
        std::optional<typename M::forked> copy;
        if (!outcome) copy.emplace(memory_.fork());
        return forked_outcome<decltype(outcome), typename M::forked>{std::move(outcome), std::move(copy)};
    }

private:
    M memory_;
    std::mutex mutex_;
};

}  // namespace hbm::inline v0
