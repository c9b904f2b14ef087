#pragma once
/// Summary in a sentence and a table.

#include <hbm/growth/growth_fit.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace hbm {

struct growth_summary;

/// Least number of steps that can show growth.
inline constexpr std::uint64_t fewest_growth_steps = growth_parts;

/// Returns `part` of `whole` in per cent, at most 100.
[[nodiscard]] std::uint64_t percent_of(std::uint64_t part, std::uint64_t whole) noexcept;

/// Returns a summary as a sentence.
[[nodiscard]] std::string sentence(const growth_summary& summary);

/// Returns the sentence, and a table of the tags: the growth of each, its bytes at the peak of all memory, and at the
/// end. At most `most` tags.
[[nodiscard]] std::string to_text(const growth_summary& summary, std::size_t most = 10);

/// Returns a length of time: `35 s`, `12.5 min`, `3.2 h`, `41 d`, with a digit after the point if it is not 0.
[[nodiscard]] std::string duration_in_words(std::uint64_t microseconds);

/// Returns a summary as a JSON object on a single line, an element of "series" in the schema hbm-growth/1. Rates are
/// numbers with six decimals. Steps are numbers of steps, or microseconds, according to `unit`; then `bytes_an_hour`
/// stands for `bytes_a_step`. Inapplicable values are null. "withheld" is the reason for a missing verdict:
/// "an_instant" or "no_steps_marked". "end_step" is the first step above the capacity, if it was passed.
/// "earliest_end_step" and "latest_end_step" bound an end that is ahead; the latest is null if unbounded.
/// "end_step_evicting" is the end if programs that do not run are evicted, null without programs. "scratch_bytes" is 0:
/// scratch of programs is counted in all other numbers.
/// "jump" is a single rise at once, which the verdict excludes. "rise" has the beginning and end of memory without the
/// jump, in a series without proven steady growth. The verdict is "unproven" then, if nothing else grows.
/// "gap" is the longest time without samples, if memory seems to grow only across it.
[[nodiscard]] std::string to_json(const growth_summary& summary);

}  // namespace hbm
