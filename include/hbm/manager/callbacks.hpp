#pragma once

#include <hbm/core/language.hpp>

#include <cstddef>
#include <exception>

namespace hbm::inline v0::detail {

extern "C" std::ptrdiff_t write(int file, const void* bytes, std::size_t count);  // POSIX, without its header

[[noreturn, gnu::cold, gnu::noinline]] inline void called_from_inside() noexcept {
    constexpr char message[] = "hbm: an observer or device called the manager that called it\n";
    static_cast<void>(write(2, message, sizeof message - 1) == 0);
    trap();
}

/// A flag set while a manager calls its observer or device. Not part of the manager's value.
template <bool CallsOut>
class callback_flag {
public:
    constexpr callback_flag() = default;
    constexpr callback_flag(const callback_flag& /*other*/) noexcept {}
    constexpr callback_flag& operator=(const callback_flag& /*other*/) noexcept { return *this; }

    constexpr void require_outside() const noexcept {
        if (inside_) [[unlikely]]
            called_from_inside();
    }

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

/// A guard around callbacks that keeps the first exception until the manager's call is complete.
class callbacks {
public:
    constexpr explicit callbacks(callback_flag<true>& flag) : flag_(flag) {}
    callbacks(const callbacks&) = delete;
    callbacks& operator=(const callbacks&) = delete;
    constexpr ~callbacks() noexcept(false) {
        if (thrown_ != nullptr) [[unlikely]]
            rethrow();
    }

    template <class Call>
    constexpr void make(Call call) {
        // The manager is in the middle of a change when it calls out. The exception is kept until the destructor, when
        // all is consistent again; of several the first is the cause.
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

/// Stands in for `callbacks` in a manager without observer and device.
struct no_callbacks {
    constexpr explicit no_callbacks(callback_flag<false>& /*flag*/) {}
};

}  // namespace hbm::inline v0::detail
