#pragma once

/// The page's encodings of bytes: numbers of variable length, zlib streams and base64.

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::compare {

/// Appends `number` in groups of seven bits, the lowest first. The top bit of a byte is set if another byte follows.
void add_number(std::string& bytes, std::uint64_t number);

/// Appends the four bytes of `number`, the highest first.
void add_big_endian(std::string& bytes, std::uint32_t number);

/// Returns base64 with padding (RFC 4648), on a single line. Cost: O(bytes).
[[nodiscard]] std::string base64(std::string_view bytes);

/// Returns `bytes`, not compressed, as a zlib stream (RFC 1950). Cost: O(bytes).
[[nodiscard]] std::string stored_stream(std::string_view bytes);

/// Returns `bytes` as a zlib stream, for `DecompressionStream("deflate")` of a browser and for PNG. Without zlib at
/// build time the stream is a stored one, which is longer.
[[nodiscard]] std::string zlib_stream(std::string_view bytes);

}  // namespace hbm::compare
