#pragma once
// The types of array elements in XLA, and their sizes in bytes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hbm::imported::xla {

/// Returns the bytes of an element of the type that XLA prints as `name`; empty if there is no such type. Types of less
/// than 8 bits take a byte unless their layout states otherwise. Tokens and opaque values take none.
/// Cost: O(1).
[[nodiscard]] constexpr std::optional<std::uint64_t> element_bytes(std::string_view name) noexcept {
    struct group {
        std::uint64_t bytes;
        std::string_view names;  // separated by blanks
    };
    constexpr group groups[] = {
        {0, "token opaque"},     {1, "pred s1 u1 s2 u2 s4 u4 s8 u8"},
        {2, "s16 u16 f16 bf16"}, {4, "s32 u32 f32"},
        {8, "s64 u64 f64 c64"},  {16, "c128"},
    };
    // The formats of 8 bits and less have many names, f8e4m3fn and f4e2m1fn among them, and new ones come every year.
    if (name.starts_with("f8e") || name.starts_with("f6e") || name.starts_with("f4e")) return 1;
    for (const group& each : groups) {
        std::string_view rest = each.names;
        while (!rest.empty()) {
            const std::size_t blank = rest.find(' ');
            if (rest.substr(0, blank) == name) return each.bytes;
            rest = blank == std::string_view::npos ? std::string_view{} : rest.substr(blank + 1);
        }
    }
    return std::nullopt;
}

}  // namespace hbm::imported::xla
