#include "compare/generate/parameters.hpp"

#include <array>
#include <utility>

namespace hbm::trace {

std::string size_words(std::uint64_t bytes) {
    constexpr std::array<std::pair<unsigned, std::string_view>, 4> units{
        {{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}}};
    for (const auto& [shift, unit] : units) {
        if (bytes != 0 && bytes % (std::uint64_t{1} << shift) == 0) return decimal(bytes >> shift) + std::string{unit};
    }
    return decimal(bytes);
}

std::string value_words(const parameter& of, std::uint64_t value) {
    return of.in_bytes ? size_words(value) : decimal(value);
}

bool parse_size(std::string_view text, std::uint64_t& value) {
    constexpr std::string_view units = "KMGT";
    if (text.size() > 2 && text.back() == 'B') {
        text.remove_suffix(text.ends_with("iB") ? 2 : 1);
        if (units.find(text.back()) == std::string_view::npos) return false;
    }
    const std::size_t unit = text.empty() ? std::string_view::npos : units.find(text.back());
    unsigned shift = 0;
    if (unit != std::string_view::npos) {
        shift = 10 * (static_cast<unsigned>(unit) + 1);
        text.remove_suffix(1);
    }
    const std::size_t point = text.find('.');
    if (!parse_number(text.substr(0, point), value) || value > (~std::uint64_t{0} >> shift)) return false;
    value <<= shift;
    if (point == std::string_view::npos) return true;
    const std::string_view digits = text.substr(point + 1);
    std::uint64_t fraction = 0;
    if (shift == 0 || digits.size() > 6 || !parse_number(digits, fraction)) return false;
    std::uint64_t scale = 1;
    for (std::size_t at = 0; at < digits.size(); ++at) scale *= 10;
    // The fraction is below 10^6 * 2^40 and less than a unit: neither the shift nor the sum overflows.
    value += (fraction << shift) / scale;
    return true;
}

}  // namespace hbm::trace
