#include "compare/text/rounded_size.hpp"

#include <hbm/explain/words.hpp>

#include <cstddef>
#include <limits>

#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

__extension__ typedef unsigned __int128 wide;  // a number of 62 bits times 2^60

/// Removes one of the endings of a size and returns the exponent of its unit: 10 for K, 20 for M. Empty if the text
/// has no known ending.
constexpr std::optional<unsigned> cut_unit(std::string_view& text) noexcept {
    if (text.ends_with(" bytes")) text.remove_suffix(6);
    if (text.empty()) return std::nullopt;
    if (text.back() >= '0' && text.back() <= '9') return 0;
    const std::size_t ending = text.ends_with("iB") ? 2 : text.ends_with('B') ? 1 : 0;
    text.remove_suffix(ending);
    if (text.empty()) return std::nullopt;
    if (ending == 1 && text.back() >= '0' && text.back() <= '9') return 0;
    const std::size_t which = std::string_view{"KMGTPE"}.find(text.back());
    if (which == std::string_view::npos) return std::nullopt;
    text.remove_suffix(1);
    if (ending != 0 && text.ends_with(' ')) text.remove_suffix(1);
    return 10 * (static_cast<unsigned>(which) + 1);
}

}  // namespace

std::optional<rounded_size> read_rounded_size(std::string_view text) {
    constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    const std::optional<unsigned> exponent = cut_unit(text);
    if (!exponent) return std::nullopt;
    if (*exponent == 0) {
        std::uint64_t bytes = 0;
        if (!trace::parse_number(text, bytes)) return std::nullopt;
        return exactly(bytes);
    }
    // The digits without their point, and the power of ten that the point divides by.
    std::uint64_t digits = 0;
    std::uint64_t divisor = 1;
    bool has_point = false;
    bool has_digit = false;
    for (const char each : text) {
        if (each == '.' && !has_point && has_digit) {
            has_point = true;
            has_digit = false;
            continue;
        }
        if (each < '0' || each > '9' || digits > max / 40 || divisor > max / 40) return std::nullopt;
        digits = 10 * digits + static_cast<std::uint64_t>(each - '0');
        if (has_point) divisor *= 10;
        has_digit = true;
    }
    if (!has_digit) return std::nullopt;
    // All in half units of the last digit, which keeps the bounds whole numbers.
    const auto in_bytes = [&](std::uint64_t half_units) { return wide{half_units} << *exponent; };
    const wide whole = 2 * wide{divisor};
    const std::uint64_t dropped = (std::uint64_t{1} << (*exponent - 10)) - 1;
    const wide bytes = (in_bytes(2 * digits) + divisor) / whole;
    const wide low = digits == 0 ? wide{0} : (in_bytes(2 * digits - 1) + whole - 1) / whole;
    const wide high = in_bytes(2 * digits + 1) / whole + dropped;
    if (low > max) return std::nullopt;
    const auto bounded = [&](wide value) { return value > max ? max : static_cast<std::uint64_t>(value); };
    return rounded_size{bounded(bytes), static_cast<std::uint64_t>(low), bounded(high)};
}

std::string in_unit(std::uint64_t bytes, unsigned unit, rounding way) {
    if (unit == 0 || (unit < 54 && bytes > std::uint64_t{1} << (unit + 10))) return size_in_words(bytes);
    const std::uint64_t parts = unit == 10 ? 10 : 100;
    const std::uint64_t one = std::uint64_t{1} << unit;
    // Whole units and the rest apart, so that nothing overflows.
    const std::uint64_t whole = bytes >> unit;
    const std::uint64_t rest = bytes & (one - 1);
    const unsigned spare = unit > 50 ? 10 : 0;
    const std::uint64_t scaled = (rest >> spare) * parts;
    const std::uint64_t base = one >> spare;
    std::uint64_t decimals = scaled / base;
    if (way == rounding::up && scaled % base != 0) ++decimals;
    if (way == rounding::nearest && scaled % base * 2 >= base) ++decimals;
    const std::uint64_t all = whole * parts + decimals;
    std::string text = std::to_string(all / parts) + ".";
    if (parts == 100 && all % parts < 10) text += '0';
    return text + std::to_string(all % parts) + "KMGTPE"[unit / 10 - 1];
}

namespace {

std::string low_in_words(const byte_range& range) {
    const std::uint64_t low = std::min(range.bytes, saturating_add(range.low, dropped_of(range.unit)));
    return in_unit(low, range.unit, rounding::down);
}

/// Returns the upper bound in words. If the lower bound is 0, the bytes that XLA drops are a large part of it, and stay
/// in it.
std::string high_in_words(const byte_range& range) {
    const std::uint64_t dropped = range.low == 0 ? 0 : dropped_of(range.unit);
    const std::uint64_t high = std::max(range.bytes, less(range.high, dropped));
    return in_unit(high, range.unit, rounding::up);
}

}  // namespace

std::string in_words(const byte_range& range) {
    const std::string high = high_in_words(range);
    if (range.unit == 0 || range.high - range.low <= range.bytes / 20)
        return in_unit(range.bytes, range.unit, rounding::nearest);
    const std::string low = low_in_words(range);
    const std::string none = in_unit(0, range.unit, rounding::down);
    const std::string middle = in_unit(range.bytes, range.unit, rounding::nearest);
    if (middle == none) return "at most " + high;
    if (low == none) return middle + " (at most " + high + ")";
    return middle + " (" + low + " to " + high + ")";
}

std::string enough_in_words(const byte_range& range) {
    if (range.unit == 0 || range.high - range.low <= range.bytes / 20) return in_words(range);
    return high_in_words(range);
}

std::string in_words(const rounded_size& size) {
    return in_unit(size.bytes, unit_of(size), rounding::nearest);
}

}  // namespace hbm::imported
