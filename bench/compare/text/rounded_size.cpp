#include "compare/text/rounded_size.hpp"

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
    if (text.ends_with("iB"))
        text.remove_suffix(2);
    else if (text.ends_with('B')) {
        text.remove_suffix(1);
        return 0;
    }
    if (text.empty()) return std::nullopt;
    const std::size_t which = std::string_view{"KMGTPE"}.find(text.back());
    if (which == std::string_view::npos) return std::nullopt;
    text.remove_suffix(1);
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
        return rounded_size{bytes, bytes, bytes};
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

}  // namespace hbm::imported
