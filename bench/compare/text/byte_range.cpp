#include "compare/text/byte_range.hpp"

#include <hbm/explain/words.hpp>

namespace hbm::imported {

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
    return high_in_words(range) + " to be sure";
}

std::string in_words(const rounded_size& size) {
    return in_unit(size.bytes, unit_of(size), rounding::nearest);
}

}  // namespace hbm::imported
