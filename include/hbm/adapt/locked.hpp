#pragma once

#include <hbm/manager.hpp>

#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace hbm::inline v0 {

/// A type locked by `lock()` and unlocked by `unlock()`, such as std::mutex.
template <class T>
concept lockable = requires(T mutex) {
    mutex.lock();
    mutex.unlock();
};

/// A mutex without effect for programs with one thread; empty, so that members can share its address.
struct no_mutex {
    [[gnu::always_inline]] constexpr void lock() const noexcept {}
    [[gnu::always_inline]] constexpr void unlock() const noexcept {}
};
static_assert(lockable<no_mutex>);

/// A lock held for the lifetime of the object.
template <lockable Mutex>
class locked_scope {
public:
    [[gnu::always_inline]] constexpr explicit locked_scope(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
    [[gnu::always_inline]] constexpr ~locked_scope() { mutex_.unlock(); }
    locked_scope(const locked_scope&) = delete;
    locked_scope& operator=(const locked_scope&) = delete;

private:
    Mutex& mutex_;
};

namespace detail {

/// True for values that refer to the inside of a manager and are valid only until its next change.
template <class T>
inline constexpr bool refers_into_a_manager = false;
template <class Quanta>
inline constexpr bool refers_into_a_manager<memory_view<Quanta>> = true;
template <class Quanta>
inline constexpr bool refers_into_a_manager<block_range<Quanta>> = true;
template <>
inline constexpr bool refers_into_a_manager<std::span<const program_record>> = true;
template <>
inline constexpr bool refers_into_a_manager<std::span<const flight>> = true;

}  // namespace detail

/// The result of `call_or_fork`: that of the call, and the memory as it was if the call failed.
template <class Outcome, class Forked>
struct forked_outcome {
    Outcome outcome;             ///< result of the call
    std::optional<Forked> fork;  ///< fork of the memory that refused the call; empty if the call succeeded
};

/// An object with a lock for calls of several steps; the base of `synchronized`. Not copyable or movable, like a mutex.
template <class T, class Mutex>
class locked {
    static_assert(lockable<Mutex>, "a mutex has void lock() and void unlock()");

public:
    /// Calls `act(object)` under the lock and returns a copy of its result. Views are rejected at compile time.
    /// For several atomic calls, or calls whose results refer to the inside of the object.
    /// Requires: `act` does not call this object, and no pointer, iterator or span into it outlives the call.
    template <class Act>
    constexpr auto with(Act&& act) {
        return held_call(memory_, std::forward<Act>(act));
    }
    template <class Act>
    constexpr auto with(Act&& act) const {
        return held_call(memory_, std::forward<Act>(act));
    }

    /// Calls `act(object)`, which returns a result. If it failed, forks the object under the same lock.
    /// Cost: that of the call, and of `fork` if it fails.
    template <class Act>
    [[nodiscard]] constexpr auto call_or_fork(Act&& act) {
        const guard held(mutex_);
        auto outcome = std::forward<Act>(act)(memory_);
        std::optional<typename T::forked> copy;
        if (!outcome) copy.emplace(memory_.fork());
        return forked_outcome<decltype(outcome), typename T::forked>{std::move(outcome), std::move(copy)};
    }

    locked(const locked&) = delete;
    locked& operator=(const locked&) = delete;

protected:
    using guard = locked_scope<Mutex>;

    template <class... Arguments>
    constexpr explicit locked(Arguments&&... given) : memory_(std::forward<Arguments>(given)...) {}
    constexpr ~locked() = default;

    [[gnu::always_inline]] constexpr guard hold() const { return guard(mutex_); }

    T memory_;

private:
    template <class Memory, class Act>
    [[gnu::always_inline]] constexpr auto held_call(Memory& memory, Act&& act) const {
        using returned = std::remove_cvref_t<decltype(std::forward<Act>(act)(memory))>;
        static_assert(!detail::refers_into_a_manager<returned>,
                      "with(act): what act returns refers to the inside of a manager, which other threads change "
                      "after the call: read it inside act and return a copy");
        const guard held(mutex_);
        return std::forward<Act>(act)(memory);
    }

    [[no_unique_address]] mutable Mutex mutex_;
};

}  // namespace hbm::inline v0
