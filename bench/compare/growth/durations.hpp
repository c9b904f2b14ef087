#pragma once

/// Lengths of time in words.

#include <cstdint>
#include <string>

namespace hbm {

/// A length of time: `35 s`, `12.5 min`, `3.2 h`, `41 d`, with a digit after the point where it is not 0.
[[nodiscard]] std::string duration_in_words(std::uint64_t microseconds);

}  // namespace hbm
