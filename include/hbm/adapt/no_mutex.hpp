#pragma once

#include <hbm/core/language.hpp>

#include <concepts>

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

}  // namespace hbm::inline v0
