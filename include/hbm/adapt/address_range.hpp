#pragma once

#include <hbm/core/language.hpp>

#include <bit>
#include <concepts>
#include <cstdint>

namespace hbm::inline v0 {

/// The addresses `[base, base + bytes)`, owned by the caller; empty if the base is null.
struct address_range {
    void* base = nullptr;
    std::uint64_t bytes = 0;
    /// True if the host can read and write the range.
    /// If false, the library never accesses the bytes; moves need a manager whose own device copies.
    bool on_host = true;

    /// Returns the range itself, which makes it an `address_memory`.
    [[nodiscard]] constexpr address_range range() const noexcept { return *this; }
    [[nodiscard]] std::uintptr_t begin_address() const noexcept { return reinterpret_cast<std::uintptr_t>(base); }
    /// Returns the largest power of two, in bytes, that divides the base; 1 for a null base.
    [[nodiscard]] std::uint64_t alignment() const noexcept {
        const std::uint64_t begin = begin_address();
        return begin == 0 ? 1 : begin & (0 - begin);
    }
    /// Returns the part of the range that addresses can express; empty if the base is null.
    [[nodiscard]] address_range usable() const noexcept {
        const std::uint64_t most = ~begin_address();
        return {base, base == nullptr ? 0 : bytes < most ? bytes : most, on_host};
    }
    /// Returns the part of the range from its first multiple of `unit` on.
    /// Empty if there is none, or if `unit` is not a power of two.
    [[nodiscard]] address_range aligned_to(std::uint64_t unit) const noexcept {
        const std::uint64_t lost = (0 - std::uint64_t{begin_address()}) & (unit - 1);
        if (!std::has_single_bit(unit) || lost > usable().bytes) return {nullptr, 0, on_host};
        return {reinterpret_cast<void*>(begin_address() + static_cast<std::uintptr_t>(lost)), usable().bytes - lost,
                on_host};
    }

    friend constexpr bool operator==(const address_range&, const address_range&) = default;
};

/// A memory for `addressed`: an object with a range of addresses, which stays the same when the object is moved.
template <class M>
concept address_memory = requires(const M memory) {
    { memory.range() } -> std::same_as<address_range>;
};

static_assert(address_memory<address_range>);

}  // namespace hbm::inline v0
