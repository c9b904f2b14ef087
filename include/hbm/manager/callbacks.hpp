#pragma once

/// Calls out of a manager, to its observer and device: what they throw, and calls back into the manager.

#include <cstddef>
#include <exception>

namespace hbm::detail {

extern "C" std::ptrdiff_t write(int file, const void* bytes, std::size_t count);  // of POSIX; no header for its sake

/// Ends the program with a message.
[[noreturn, gnu::cold, gnu::noinline]] inline void called_from_inside() noexcept {
    constexpr char message[] = "hbm: an observer or device called the manager that called it\n";
    static_cast<void>(write(2, message, sizeof message - 1) == 0);
    __builtin_abort();
}

/// Is set while a manager calls its observer or device. Not part of the manager's value: copies are not inside a call.
template <bool CallsOut>
class callback_flag {
public:
    constexpr callback_flag() = default;
    constexpr callback_flag(const callback_flag& /*other*/) noexcept {}
    constexpr callback_flag& operator=(const callback_flag& /*other*/) noexcept { return *this; }

    /// Ends the program inside a callback. Cost: O(1).
    constexpr void require_outside() const noexcept {
        if (inside_) [[unlikely]]
            called_from_inside();
    }

    /// Sets the flag for a scope.
    class scope {
    public:
        constexpr explicit scope(callback_flag& flag) : flag_(flag) { flag_.inside_ = true; }
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;
        constexpr ~scope() { flag_.inside_ = false; }

    private:
        callback_flag& flag_;
    };

private:
    bool inside_ = false;
};
template <>
class callback_flag<false> {
public:
    constexpr void require_outside() const noexcept {}

    struct scope {
        constexpr explicit scope(callback_flag& /*flag*/) {}
    };
};

/// Makes the calls, and keeps the first exception until the manager's own call is complete: so that no exception finds
/// the manager half changed.
class callbacks {
public:
    constexpr explicit callbacks(callback_flag<true>& flag) : flag_(flag) {}
    callbacks(const callbacks&) = delete;
    callbacks& operator=(const callbacks&) = delete;
    /// Throws what was kept.
    constexpr ~callbacks() noexcept(false) {
        if (thrown_ != nullptr) [[unlikely]]
            rethrow();
    }

    template <class Call>
    constexpr void make(Call call) {
        const callback_flag<true>::scope inside(flag_);
#ifdef __cpp_exceptions
        try {
            call();
        } catch (...) {
            keep();
        }
#else
        call();
#endif
    }

private:
    [[gnu::cold, gnu::noinline]] void keep() noexcept {
        if (thrown_ == nullptr) thrown_ = new std::exception_ptr(std::current_exception());
    }
    [[noreturn, gnu::cold, gnu::noinline]] void rethrow() {
        const std::exception_ptr first = *thrown_;
        delete thrown_;
        std::rethrow_exception(first);
    }

    callback_flag<true>& flag_;
    std::exception_ptr* thrown_ = nullptr;
};

/// In place of them in a manager that calls nobody.
struct no_callbacks {
    constexpr explicit no_callbacks(callback_flag<false>& /*flag*/) {}
};

}  // namespace hbm::detail
