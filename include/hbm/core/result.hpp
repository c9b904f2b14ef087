#pragma once

/// The result of a call that may fail: a value, or why there is none. Nothing throws.

#include <hbm/core/error.hpp>
#include <hbm/core/handle.hpp>

#include <cstdint>

namespace hbm {

/// What a failed call reports: the reason, and the figures that the TPU runtime prints in its messages. All sizes in
/// bytes.
struct failure {
    error reason = error::none;
    std::uint64_t requested = 0;         ///< rounded up to the quantum
    std::uint64_t free = 0;              ///< sum of free bytes
    std::uint64_t largest_free = 0;      ///< longest contiguous free run
    std::uint64_t reserved = 0;          ///< reserved at the bottom
    std::uint64_t reservable = 0;        ///< what the reservation can still grow by without relief
    tag label = tag::none;               ///< of the buffer or program that was asked for
    std::uint32_t argument = no_index;   ///< index of the offending argument or output of a run
    std::uint32_t first_use = no_index;  ///< index of the earlier use of the same argument
    bool at_the_bottom = false;          ///< the request was for scratch to be reserved at the bottom
    std::uint64_t alignment = 0;         ///< of a buffer, as requested
    std::uint64_t code = 0;              ///< code and constants of a program that could not be loaded
    std::uint64_t scratch = 0;           ///< scratch of a program that could not be loaded
    std::uint32_t slot = no_index;       ///< of the program that was to run or to be loaded again

    friend constexpr bool operator==(const failure&, const failure&) = default;
};

/// A `T` or a `failure`; both are small values. Reading the value of a failed result, or the error of a result that did
/// not fail, is undefined.
template <class T>
class result {
public:
    constexpr result(T value) noexcept : value_(value), good_(true) {}          // NOLINT: meant to convert
    constexpr result(const failure& why) noexcept : why_(why), good_(false) {}  // NOLINT: meant to convert

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return good_; }
    [[nodiscard]] constexpr bool has_value() const noexcept { return good_; }
    [[nodiscard]] constexpr const T& operator*() const noexcept { return value_; }
    [[nodiscard]] constexpr const T* operator->() const noexcept { return &value_; }
    /// The value, or `other` if the call failed.
    [[nodiscard]] constexpr T value_or(T other) const noexcept { return good_ ? value_ : other; }
    /// Why the call failed; only to be read if it did.
    [[nodiscard]] constexpr const failure& error() const noexcept { return why_; }

private:
    union {
        T value_;
        failure why_;
    };
    bool good_;
};

/// The value of a result that is success alone.
struct done {
    friend constexpr bool operator==(const done&, const done&) = default;
};

}  // namespace hbm
