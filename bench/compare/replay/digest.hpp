#pragma once
// A digest: a short number by which equal contents are recognised.

#include <cstdint>
#include <string_view>

namespace hbm::trace {

/// FNV-1a over 64 bits (Fowler, Noll, Vo). Not safe against contents that were chosen to collide.
struct digest {
    std::uint64_t value = 0xcbf29ce484222325;

    /// Adds a byte. Cost: O(1).
    constexpr void add_byte(unsigned char byte) noexcept { value = (value ^ byte) * 0x100000001b3; }

    /// Adds a number as eight little-endian bytes. Cost: O(1).
    constexpr void add(std::uint64_t number) noexcept {
        for (unsigned shift = 0; shift < 64; shift += 8) add_byte(static_cast<unsigned char>(number >> shift & 0xff));
    }

    /// Adds all bytes of a text, and not its length. Cost: O(bytes).
    constexpr void add_text(std::string_view bytes) noexcept {
        for (const char each : bytes) add_byte(static_cast<unsigned char>(each));
    }
};

}  // namespace hbm::trace
