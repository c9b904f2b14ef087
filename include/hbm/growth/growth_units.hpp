#pragma once

/// Rates and lengths of time in words.

#include <hbm/explain/words.hpp>

#include <cstdint>
#include <string>

namespace hbm {

namespace growth_words {

/// What stands behind the point of a number of millionths: up to two digits, `.25`, `.5`; nothing where they are 0.
[[nodiscard]] inline std::string hundredths_in_words(std::uint64_t millionths) {
    const std::uint64_t hundredths = millionths / 10'000 % 100;
    std::string text;
    if (hundredths == 0) return text;
    text += '.';
    text += static_cast<char>('0' + hundredths / 10);
    if (hundredths % 10 != 0) text += static_cast<char>('0' + hundredths % 10);
    return text;
}

/// Bytes in millionths as words: `1.20M`, `12.5B`, `0.04B`. The largest number stands for all that exceed it.
[[nodiscard]] inline std::string rate_in_words(std::uint64_t micro_bytes) {
    if (micro_bytes == ~std::uint64_t{0}) return "more than " + size_in_words(micro_bytes / 1'000'000);
    if (micro_bytes < 10'000) return "less than 0.01B";
    const std::uint64_t bytes = micro_bytes / 1'000'000;
    if (bytes >= 1024) return size_in_words(bytes);
    return std::to_string(bytes) + hundredths_in_words(micro_bytes) + "B";
}

/// Microseconds as seconds: `3,600 s`, `0.25 s`.
[[nodiscard]] inline std::string seconds_in_words(std::uint64_t microseconds) {
    return grouped_digits(microseconds / 1'000'000) + hundredths_in_words(microseconds) + " s";
}

/// A length of time: `35 s`, `12.5 min`, `3.2 h`, `41 d`, with a digit after the point where it is not 0.
[[nodiscard]] inline std::string duration_in_words(std::uint64_t microseconds) {
    constexpr std::uint64_t second = 1'000'000;
    if (microseconds < 120 * second) return seconds_in_words(microseconds);
    const bool by_day = microseconds >= 1000 * 3600 * second;
    const bool by_hour = microseconds >= 7200 * second;
    const std::uint64_t unit = (by_day ? 86'400 : by_hour ? 3600 : 60) * second;
    std::string text = grouped_digits(microseconds / unit);
    if (const std::uint64_t tenth = microseconds % unit / (unit / 10); tenth != 0) text += "." + std::to_string(tenth);
    return text + (by_day ? " d" : by_hour ? " h" : " min");
}

}  // namespace growth_words

}  // namespace hbm
