#pragma once
/// Summary in a sentence and a table.

#include <cstddef>
#include <cstdint>
#include <string>

#include "compare/growth/growth.hpp"

namespace hbm {

/// Least number of steps that can show growth.
inline constexpr std::uint64_t fewest_growth_steps = growth_parts;

/// Returns `part` of `whole` in per cent, at most 100.
[[nodiscard]] std::uint64_t percent_of(std::uint64_t part, std::uint64_t whole) noexcept;

/// Returns a summary as a sentence.
[[nodiscard]] std::string sentence(const growth_summary& of);

/// Returns the sentence, and a table of the tags: the growth of each, its bytes at the peak of all memory, and at the
/// end. At most `most` tags.
[[nodiscard]] std::string to_text(const growth_summary& of, std::size_t most = 10);

}  // namespace hbm

namespace hbm {

/// Returns a length of time: `35 s`, `12.5 min`, `3.2 h`, `41 d`, with a digit after the point if it is not 0.
[[nodiscard]] std::string duration_in_words(std::uint64_t microseconds);

}  // namespace hbm
