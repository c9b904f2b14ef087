#pragma once

/// A range of addresses that somebody else owns.

#include <hbm/core/language.hpp>

#include <bit>
#include <concepts>
#include <cstdint>

namespace hbm {

/// The addresses `[base, base + bytes)`, which the caller owns. A null base is no memory.
struct address_range {
    void* base = nullptr;
    std::uint64_t bytes = 0;
    /// Whether the host can read and write there. False for addresses of a device: then nobody here touches the bytes,
    /// and where blocks are to move, the manager needs a device of its own that copies.
    bool on_host = true;

    /// Itself: a range is the simplest memory that `addressed` can be made of.
    [[nodiscard]] constexpr address_range range() const noexcept { return *this; }
    /// The base as a number. O(1).
    [[nodiscard]] std::uintptr_t begin_address() const noexcept { return reinterpret_cast<std::uintptr_t>(base); }
    /// The largest power of two that the base is a multiple of, in bytes; 1 for a null base. O(1).
    [[nodiscard]] std::uint64_t alignment() const noexcept {
        const std::uint64_t begin = begin_address();
        return begin == 0 ? 1 : begin & (0 - begin);
    }
    /// As much of the range as addresses can express, and nothing of a range without a base. O(1).
    [[nodiscard]] address_range usable() const noexcept {
        const std::uint64_t most = ~begin_address();
        return {base, base == nullptr ? 0 : bytes < most ? bytes : most, on_host};
    }
    /// The part of the range from its first address that is a multiple of `unit`, a power of two; an empty range if
    /// there is none, or if `unit` is no power of two. O(1).
    [[nodiscard]] address_range aligned_to(std::uint64_t unit) const noexcept {
        const std::uint64_t lost = (0 - std::uint64_t{begin_address()}) & (unit - 1);
        if (!std::has_single_bit(unit) || lost > usable().bytes) return {nullptr, 0, on_host};
        return {reinterpret_cast<void*>(begin_address() + static_cast<std::uintptr_t>(lost)), usable().bytes - lost,
                on_host};
    }

    friend constexpr bool operator==(const address_range&, const address_range&) = default;
};

/// Memory that `addressed` can be made of: it has a range of addresses, which stays the same while the memory is
/// moved from one variable to another.
template <class M>
concept address_memory = requires(const M memory) {
    { memory.range() } -> std::same_as<address_range>;
};

static_assert(address_memory<address_range>);

}  // namespace hbm
