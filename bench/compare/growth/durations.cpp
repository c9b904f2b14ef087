#include "compare/growth/durations.hpp"

#include <hbm/explain/words.hpp>

namespace hbm {

namespace {

/// Microseconds as seconds: `3,600 s`, `0.25 s`.
std::string seconds_in_words(std::uint64_t microseconds) {
    return grouped_digits(microseconds / 1'000'000) + detail::hundredths_in_words(microseconds) + " s";
}

}  // namespace

std::string duration_in_words(std::uint64_t microseconds) {
    constexpr std::uint64_t second = 1'000'000;
    if (microseconds < 120 * second) return seconds_in_words(microseconds);
    const bool by_day = microseconds >= 1000 * 3600 * second;
    const bool by_hour = microseconds >= 7200 * second;
    const std::uint64_t unit = (by_day ? 86'400 : by_hour ? 3600 : 60) * second;
    std::string text = grouped_digits(microseconds / unit);
    if (const std::uint64_t tenth = microseconds % unit / (unit / 10); tenth != 0) text += "." + std::to_string(tenth);
    return text + (by_day ? " d" : by_hour ? " h" : " min");
}

}  // namespace hbm
