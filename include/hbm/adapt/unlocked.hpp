#pragma once

#include <hbm/core/language.hpp>

namespace hbm {

/// A lock that locks nothing, for an adapter that only one thread calls. Where several do, the adapter is given
/// `std::mutex` instead.
struct unlocked {
    constexpr void lock() noexcept {}
    constexpr void unlock() noexcept {}
};

/// Holds a lock from its beginning to its end.
template <class Mutex>
class [[nodiscard]] locked_scope {
public:
    constexpr explicit locked_scope(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
    locked_scope(const locked_scope&) = delete;
    locked_scope& operator=(const locked_scope&) = delete;
    constexpr ~locked_scope() { mutex_.unlock(); }

private:
    Mutex& mutex_;
};

}  // namespace hbm
