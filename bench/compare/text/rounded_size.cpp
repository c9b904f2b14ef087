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
std::optional<unsigned> cut_unit(std::string_view& text) noexcept {
    if (text.ends_with(" bytes")) text.remove_suffix(6);
    if (text.empty()) return std::nullopt;
    const std::size_t ending = text.ends_with("iB") ? 2 : text.ends_with('B') ? 1 : 0;
    text.remove_suffix(ending);
    if (text.empty()) return std::nullopt;
    if (is_digit(text.back())) return ending == 2 ? std::nullopt : std::optional(0U);
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
    std::uint64_t digits = 0;
    if (exponent == 0U) return trace::parse_number(text, digits) ? std::optional(exactly(digits)) : std::nullopt;
    const std::size_t point = text.find('.');
    const bool is_number = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos &&
                           point == text.rfind('.') && point != 0 && point != text.size() - 1;
    if (!exponent || !is_number) return std::nullopt;
    // The digits without their point, and the power of ten that the point divides by.
    std::uint64_t divisor = 1;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (at == point) continue;
        if (digits > max / 40 || divisor > max / 40) return std::nullopt;
        digits = 10 * digits + static_cast<std::uint64_t>(text[at] - '0');
        if (at > point) divisor *= 10;
    }
    // All in half units of the last digit, which keeps the bounds whole numbers.
    const auto in_bytes = [&](std::uint64_t half_units) { return wide{half_units} << *exponent; };
    const wide whole = 2 * wide{divisor};
    const wide dropped = (wide{1} << (*exponent - 10)) - 1;
    const wide low = digits == 0 ? 0 : (in_bytes(2 * digits - 1) + whole - 1) / whole;
    if (low > max) return std::nullopt;
    const auto bounded = [&](wide value) { return static_cast<std::uint64_t>(std::min(value, wide{max})); };
    return rounded_size{bounded((in_bytes(2 * digits) + divisor) / whole), bounded(low),
                        bounded(in_bytes(2 * digits + 1) / whole + dropped)};
}

std::string in_unit(std::uint64_t bytes, unsigned unit, rounding way) {
    if (unit == 0 || (unit < 54 && bytes > std::uint64_t{1} << (unit + 10))) return size_in_words(bytes);
    const unsigned parts = unit == 10 ? 10 : 100;
    const wide one = wide{1} << unit;
    const auto all =
        static_cast<std::uint64_t>((wide{bytes} * parts + (way == rounding::up ? one - 1 : one / 2)) >> unit);
    std::string text = std::to_string(all / parts) + ".";
    if (parts == 100 && all % parts < 10) text += '0';
    return text + std::to_string(all % parts) + "KMGTPE"[unit / 10 - 1];
}

namespace {

/// Returns true if rounding may be more than a twentieth of the size.
bool is_coarse(const byte_range& range) {
    return range.unit != 0 && range.high - range.low > range.bytes / 20;
}

/// Returns the upper bound in words. The bytes that XLA drops when it divides by 1024 are less than the last decimal,
/// and would add one: they are left out, unless the lower bound is 0, of which they are a large part.
std::string high_in_words(const byte_range& range) {
    const std::uint64_t dropped = range.low == 0 || range.unit < 10 ? 0 : (std::uint64_t{1} << (range.unit - 10)) + 2;
    return in_unit(std::max(range.bytes, less(range.high, dropped)), range.unit, rounding::up);
}

}  // namespace

std::string in_words(const rounded_size& size) {
    return in_unit(size.bytes, unit_of(size));
}

std::string in_words(const byte_range& range) {
    const std::string words = in_unit(range.bytes, range.unit);
    return is_coarse(range) && words == in_unit(0, range.unit) ? "at most " + high_in_words(range) : words;
}

std::string enough_in_words(const byte_range& range) {
    return is_coarse(range) ? high_in_words(range) : in_words(range);
}

}  // namespace hbm::imported
