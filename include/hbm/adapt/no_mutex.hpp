#pragma once

/// Mutexes, also one that does nothing, for what several threads may call.

#include <hbm/core/language.hpp>

#include <concepts>

namespace hbm {

/// A type whose objects are locked by `lock()` and unlocked by `unlock()`, such as std::mutex.
template <class T>
concept lockable = requires(T mutex) {
    mutex.lock();
    mutex.unlock();
};

/// The mutex of a program with one thread: it does nothing, and occupies no bytes as a member that may
/// share its address.
struct no_mutex {
    [[gnu::always_inline]] constexpr void lock() const noexcept {}
    [[gnu::always_inline]] constexpr void unlock() const noexcept {}
};
static_assert(lockable<no_mutex>);

/// Holds a lock from its beginning to its end.
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

}  // namespace hbm
