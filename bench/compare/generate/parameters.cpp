#include "compare/generate/parameters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::trace {

using compare::usage_error;

settings::settings(std::span<const parameter> all) : all_(all) {
    for (const parameter& key : all) values_.push_back(key.usual);
}

std::uint64_t settings::operator[](std::string_view key) const {
    for (std::size_t at = 0; at < all_.size(); ++at) {
        if (all_[at].key == key) return values_[at];
    }
    return 0;
}

void settings::read(std::string_view text) {
    std::vector<bool> given(all_.size());
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string_view part = text.substr(from, comma - from);
        from = comma + 1;
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals);
        if (equals == std::string_view::npos)
            throw usage_error("found " + (part.empty() ? "nothing" : quoted(part)) + ", expected key=value");
        std::size_t at = 0;
        while (at < all_.size() && all_[at].key != key) ++at;
        if (at == all_.size())
            throw usage_error("unknown key " + quoted(key) +
                              nearest_words(key, all_, [](const parameter& entry) { return entry.key; }) +
                              " The keys are " + keys());
        if (given[at]) throw usage_error("found key " + quoted(key) + " twice, expected it once");
        given[at] = true;
        const parameter& its = all_[at];
        if (!parse_size(part.substr(equals + 1), values_[at]) || values_[at] < its.min_value ||
            values_[at] > its.max_value)
            throw usage_error("found " + quoted(part) + ", expected " + std::string(key) + " from " +
                              value_with_unit(its, its.min_value) + " to " + value_with_unit(its, its.max_value));
    }
}

std::string settings::keys() const {
    std::string list;
    for (const parameter& entry : all_) append_item(list, entry.key);
    return list;
}

std::string binary_size(std::uint64_t bytes) {
    constexpr std::array<std::pair<unsigned, std::string_view>, 4> units{
        {{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}}};
    for (const auto& [shift, unit] : units) {
        if (bytes != 0 && bytes % (std::uint64_t{1} << shift) == 0) return decimal(bytes >> shift) + std::string{unit};
    }
    return decimal(bytes);
}

std::string value_with_unit(const parameter& key, std::uint64_t value) {
    return key.in_bytes ? binary_size(value) : decimal(value);
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
