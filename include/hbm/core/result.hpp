#pragma once

/// Results of calls that may fail: a value or a failure. Nothing throws.

#include <hbm/core/error.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/language.hpp>

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <type_traits>

namespace hbm::inline v0 {

/// The error of a failed call, with the figures that the TPU runtime prints. Sizes are in bytes.
struct failure {
    error reason = error::none;
    std::uint64_t requested = 0;         ///< rounded up to the quantum
    std::uint64_t free = 0;              ///< sum of the free bytes
    std::uint64_t largest_free = 0;      ///< the longest free range
    std::uint64_t reserved = 0;          ///< reserved at the bottom
    std::uint64_t reservable = 0;        ///< growth of the reservation that is possible without relief
    tag label = tag::none;               ///< tag of the requested buffer or program
    std::uint32_t argument = no_index;   ///< index of the offending argument or output of a run
    std::uint32_t first_use = no_index;  ///< index of the earlier use of the same argument
    bool at_the_bottom = false;          ///< the request was for scratch reserved at the bottom
    std::uint64_t alignment = 0;         ///< requested alignment of a buffer
    std::uint64_t code = 0;              ///< code and constants of a program that could not be loaded
    std::uint64_t scratch = 0;           ///< scratch of a program that could not be loaded
    std::uint32_t slot = no_index;       ///< slot of the program that could not run or be reloaded

    friend constexpr bool operator==(const failure&, const failure&) = default;
};

namespace detail {

// Programs end in these functions, whose names appear in debuggers and in errors of constant evaluation.
[[noreturn, gnu::cold, gnu::noinline]] inline void read_the_value_of_a_failed_result() noexcept {
    std::fputs("hbm: the value of a failed result was read\n", stderr);
    trap();
}
[[noreturn, gnu::cold, gnu::noinline]] inline void read_the_value_of_a_failed_result(error why, std::uint64_t requested,
                                                                                     std::uint64_t free) noexcept {
    if (why == error::none) read_the_value_of_a_failed_result();
    std::fprintf(stderr, "hbm: the value of a failed result was read: %s, %llu bytes requested, %llu free\n",
                 error_name(why), static_cast<unsigned long long>(requested), static_cast<unsigned long long>(free));
    trap();
}
[[noreturn, gnu::cold, gnu::noinline]] inline void read_the_error_of_a_good_result() noexcept {
    std::fputs("hbm: the error of a result that has a value was read\n", stderr);
    trap();
}

/// A value or a failure; a type that is not trivially copyable holds both.
///
/// A union costs no construction of the other alternative. It needs types without destructors, which nearly all results
/// have; `run_result` owns vectors and takes the second form.
template <class T, class Why, bool = std::is_trivially_copyable_v<T>>
struct value_or_reason {
    union {
        T value;
        Why why;
    };
    bool good;

    constexpr value_or_reason(const T& source) noexcept : value(source), good(true) {}   // NOLINT: implicit
    constexpr value_or_reason(const Why& reason) noexcept : why(reason), good(false) {}  // NOLINT: implicit
};
template <class T, class Why>
struct value_or_reason<T, Why, false> {
    T value{};
    Why why{};
    bool good;

    constexpr value_or_reason(T&& source) noexcept : value(static_cast<T&&>(source)), good(true) {}  // NOLINT: implicit
    constexpr value_or_reason(const T& source) : value(source), good(true) {}                        // NOLINT: implicit
    constexpr value_or_reason(const Why& reason) noexcept : why(reason), good(false) {}              // NOLINT: implicit
};

}  // namespace detail

/// A `T`, or a failure. Reading the wrong alternative terminates the program, in every build, or constant evaluation.
/// Before that a line on stderr says which: for the value of a failed call with its error, the bytes requested and the
/// free bytes, and with the place of `value()`.
/// Cost: O(1); one predicted branch for each access.
template <class T, class Why>
class basic_result {
public:
    constexpr basic_result(T value) noexcept : held_(static_cast<T&&>(value)) {}  // NOLINT: implicit
    constexpr basic_result(const Why& why) noexcept : held_(why) {}               // NOLINT: implicit

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return held_.good; }
    [[nodiscard]] constexpr bool has_value() const noexcept { return held_.good; }

    /// Returns the value. Terminates if the call failed.
    [[nodiscard]] constexpr T& operator*() & noexcept {
        ask_for_value();
        return held_.value;
    }
    [[nodiscard]] constexpr const T& operator*() const& noexcept {
        ask_for_value();
        return held_.value;
    }
    [[nodiscard]] constexpr T&& operator*() && noexcept {
        ask_for_value();
        return static_cast<T&&>(held_.value);
    }
    [[nodiscard]] constexpr T* operator->() noexcept {
        ask_for_value();
        return &held_.value;
    }
    [[nodiscard]] constexpr const T* operator->() const noexcept {
        ask_for_value();
        return &held_.value;
    }
    template <std::same_as<T> Value>
    operator Value() const = delete;  // implicit conversion is an error: test the result, then use *

    /// Returns a copy of the value. If the call failed, prints the place of this call, too, and terminates.
    [[nodiscard]] constexpr T value(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) const& {
        if (!held_.good) [[unlikely]]
            std::fprintf(stderr, "%s:%u: ", file, line);
        return **this;
    }
    /// Returns the value, or `other` if the call failed.
    [[nodiscard]] constexpr T value_or(T other) const& { return held_.good ? held_.value : other; }
    [[nodiscard]] constexpr T value_or(T other) && noexcept {
        return static_cast<T&&>(held_.good ? held_.value : other);
    }
    /// Returns the failure. Terminates if the call succeeded.
    [[nodiscard]] constexpr const Why& error() const noexcept {
        if (held_.good) [[unlikely]]
            detail::read_the_error_of_a_good_result();
        return held_.why;
    }

private:
    constexpr void ask_for_value() const noexcept {
        // The figures of the failure are printed where it has any: here is the last place where anybody can see them.
        if (held_.good) [[likely]]
            return;
        if constexpr (std::derived_from<Why, failure>)
            detail::read_the_value_of_a_failed_result(held_.why.reason, held_.why.requested, held_.why.free);
        else if constexpr (requires { held_.why.why.requested; })
            detail::read_the_value_of_a_failed_result(held_.why.why.reason, held_.why.why.requested,
                                                      held_.why.why.free);
        else
            detail::read_the_value_of_a_failed_result();
    }

    detail::value_or_reason<T, Why> held_;
};

/// The result of a call to a manager.
template <class T>
using result = basic_result<T, failure>;

/// The value of a call that returns nothing but success.
struct done {
    friend constexpr bool operator==(const done&, const done&) = default;
};

}  // namespace hbm::inline v0
