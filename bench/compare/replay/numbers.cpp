#include "compare/replay/numbers.hpp"

#include <cstddef>
#include <iomanip>
#include <locale>
#include <sstream>

namespace hbm::compare {

std::string six_decimals(trace::fraction value) {
    return rounded(value, 6);
}

std::string six_decimals(double value) {
    // Not std::to_chars, which libc++ 13 has for integers alone.
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::fixed << std::setprecision(6) << value;
    return text.str();
}

std::string rounded(trace::fraction value, unsigned decimals) {
    std::uint64_t unit = 1;
    for (unsigned at = decimals; at < 6; ++at) unit *= 10;
    std::uint64_t scale = 1'000'000 / unit;
    const std::uint64_t digits = value.millionths / unit + (value.millionths % unit * 2 >= unit && unit != 1 ? 1 : 0);
    std::string text = std::to_string(digits / scale);
    if (decimals == 0) return text;
    text += '.';
    for (scale /= 10; scale != 0; scale /= 10) text += static_cast<char>('0' + digits / scale % 10);
    return text;
}

std::string percent(trace::fraction value) {
    return rounded({value.millionths * 100}, 1) + " %";
}

std::string grouped(std::uint64_t value) {
    const std::string digits = std::to_string(value);
    std::string text;
    for (std::size_t at = 0; at < digits.size(); ++at) {
        if (at != 0 && (digits.size() - at) % 3 == 0) text += ',';
        text += digits[at];
    }
    return text;
}

std::string duration(std::uint64_t microseconds) {
    if (microseconds < 1000) return std::to_string(microseconds) + " us";
    if (microseconds < 1'000'000) return rounded({microseconds * 1000}, 1) + " ms";
    return rounded({microseconds}, 2) + " s";
}

std::string sixteen_digits(std::uint64_t value) {
    std::string text(16, '0');
    for (std::size_t at = 16; at-- > 0; value >>= 4) text[at] = "0123456789abcdef"[value & 15];
    return text;
}

}  // namespace hbm::compare

namespace hbm::trace {

void weighted_mean::add(std::uint64_t part, std::uint64_t whole, std::uint64_t weight) noexcept {
    weights_ += weight;
    if (part != 0) sum_ += (wide_unsigned{part} << 64) / whole * weight;
}

fraction weighted_mean::rounded() const noexcept {
    if (weights_ == 0) return {};
    // Truncation made the sum smaller by less than `weights_` units of its last place.
    const wide_unsigned sum = sum_ + (weights_ - 1);
    constexpr std::uint64_t half_millionths = 2'000'000;
    const wide_unsigned below_point = wide_unsigned{static_cast<std::uint64_t>(sum)} * half_millionths >> 64;
    const wide_unsigned scaled = (sum >> 64) * half_millionths + below_point;
    return {static_cast<std::uint64_t>((scaled + weights_) / (wide_unsigned{weights_} * 2))};
}

}  // namespace hbm::trace
