#pragma once

#include <hbm/core/language.hpp>

#include <cstdint>
#ifndef __clang__
#include <source_location>
#endif

namespace hbm::inline v0 {

/// A hash of a source location: file, line and column. As a default argument, `call_site::here()` is that of the
/// caller. It is equal in every run of a program and in constant evaluation.
struct call_site {
    std::uint32_t number = 0;

#ifdef __clang__
    // clang has no std::source_location before version 16.
    [[nodiscard]] static constexpr call_site here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                                                  unsigned column = __builtin_COLUMN()) noexcept {
        return of(file, line, column);
    }
#else
    [[nodiscard]] static constexpr call_site
    here(std::source_location place = std::source_location::current()) noexcept {
        return of(place.file_name(), place.line(), place.column());
    }
#endif

    /// Mixes `numbers` into the hash.
    template <class... Numbers>
    [[nodiscard]] constexpr std::uint32_t salted(Numbers... numbers) const noexcept {
        std::uint64_t mixed = number;
        const auto mix = [&mixed](std::uint64_t more) {
            mixed = (mixed ^ more) * 0x9e3779b97f4a7c15u;  // an odd number near 2^64 over the golden ratio
            mixed ^= mixed >> 32;
        };
        (mix(numbers), ...);
        return static_cast<std::uint32_t>(mixed);
    }

    /// Cost: O(length of `file`).
    [[nodiscard]] static constexpr call_site of(const char* file, unsigned line, unsigned column) noexcept {
        // Line and column are mixed in last: two managers in one file differ even if they stand in one line.
        std::uint32_t hash = 2166136261u;  // FNV-1a
        for (; *file != '\0'; ++file) hash = (hash ^ static_cast<unsigned char>(*file)) * 16777619u;
        return {((hash ^ line) * 16777619u ^ column) * 16777619u};
    }
};

}  // namespace hbm::inline v0
