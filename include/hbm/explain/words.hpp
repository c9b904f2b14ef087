#pragma once

/// Sizes, counts and times as text, as the TPU runtime prints them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::inline v0 {

/// Returns `bytes` as the runtime prints sizes: `512B`, `4.0K`, `147.64M`, `29.49G`.
/// Binary units, K with 1 decimal, larger units with 2. Only the last division rounds; the others truncate.
[[nodiscard]] inline std::string size_in_words(std::uint64_t bytes) {
    // The runtime divides integers by 1024 until the last unit but one, and only then uses a floating-point number with
    // printf. The same digits come out here without floating point, whose rounding is not the same on all machines.
    // Reports can then be compared with the runtime's to the letter.
    if (bytes < 1024) return std::to_string(bytes) + "B";
    const char* unit = "KMGTPE";
    for (; bytes >= 1024 * 1024; bytes /= 1024) ++unit;
    const unsigned decimals = *unit == 'K' ? 1 : 2;
    const std::uint64_t scaled = bytes * (decimals == 1 ? 10 : 100);
    std::uint64_t digits = scaled / 1024;
    if (scaled % 1024 > 512 || (scaled % 1024 == 512 && digits % 2 == 1)) ++digits;  // ties to even, as printf has it
    // Built from the front: g++ 12 warns falsely of overlapping copies in `insert` (GCC bug 105651).
    const std::string all = std::to_string(digits);
    std::string text;
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (at == all.size() - decimals) text += '.';
        text += all[at];
    }
    text += *unit;
    return text;
}

/// Returns the parts as a list: `a`, `a and b`, `a, b and c`.
[[nodiscard]] inline std::string list_in_words(const std::vector<std::string>& parts) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

/// Returns a number with a comma after every three digits: `6,532,939,776`.
[[nodiscard]] inline std::string grouped_digits(std::uint64_t number) {
    const std::string all = std::to_string(number);
    std::string text;
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (at != 0 && (all.size() - at) % 3 == 0) text += ',';
        text += all[at];
    }
    return text;
}

/// Returns a count and its noun: `1 run`, `1,234 runs`. The plural ends in s unless `plural` is given.
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural = {}) {
    std::string text = grouped_digits(count) + ' ';
    if (count == 1 || plural.empty()) text += noun;
    if (count != 1) text += plural.empty() ? std::string_view("s") : plural;
    return text;
}

namespace detail {

/// Returns the hundredths of a number of millionths: `.25`, `.5`; "" if they are 0.
[[nodiscard]] inline std::string hundredths_in_words(std::uint64_t millionths) {
    const std::uint64_t hundredths = millionths / 10'000 % 100;
    std::string text;
    if (hundredths == 0) return text;
    text += '.';
    text += static_cast<char>('0' + hundredths / 10);
    if (hundredths % 10 != 0) text += static_cast<char>('0' + hundredths % 10);
    return text;
}

}  // namespace detail

/// Returns millionths of a byte as text: `1.20M`, `12.5B`, `0.04B`. The largest number means "or more".
[[nodiscard]] inline std::string rate_in_words(std::uint64_t micro_bytes) {
    if (micro_bytes == ~std::uint64_t{0}) return "more than " + size_in_words(micro_bytes / 1'000'000);
    if (micro_bytes < 10'000) return "less than 0.01B";
    const std::uint64_t bytes = micro_bytes / 1'000'000;
    if (bytes >= 1024) return size_in_words(bytes);
    return std::to_string(bytes) + detail::hundredths_in_words(micro_bytes) + "B";
}

/// Returns a time in a suitable unit: `850 ns`, `2.3 us`, `412 us`, `3.1 ms`, `12.0 s`; truncated, not rounded.
[[nodiscard]] inline std::string time_in_words(std::uint64_t nanoseconds) {
    // Costs are a model, so three digits are enough: below a hundred one decimal, above none. Seconds are the last
    // unit.
    if (nanoseconds < 1000) return std::to_string(nanoseconds) + " ns";
    const char* const units[] = {"us", "ms", "s"};
    std::size_t unit = 0;
    std::uint64_t thousandths = nanoseconds;
    for (; thousandths >= 1'000'000 && unit < 2; ++unit) thousandths /= 1000;
    std::string text = std::to_string(thousandths / 1000);
    if (thousandths < 100'000) {
        text += '.';
        text += static_cast<char>('0' + thousandths % 1000 / 100);
    }
    return text + " " + units[unit];
}

}  // namespace hbm::inline v0
