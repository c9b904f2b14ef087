#pragma once

/// Bytes as the report carries them: numbers of variable length, and base64.

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::compare {

/// Appends a number in groups of seven bits, the lowest first; the top bit of a byte says that another byte follows.
inline void add_number(std::string& bytes, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
    bytes += static_cast<char>(number);
}

/// Base64 with padding, on a single line. O(bytes).
[[nodiscard]] std::string base64(std::string_view bytes);

/// The bytes in the deflate format of RFC 1951, without a header, as a browser's `DecompressionStream("deflate-raw")`
/// reads them. The same on every machine. O(bytes).
[[nodiscard]] std::string deflated(std::string_view bytes);

}  // namespace hbm::compare
