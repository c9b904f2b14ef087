#include "compare/generate/parameters.hpp"

#include <hbm/explain/filled_text.hpp>

#include <array>
#include <cstddef>
#include <utility>

#include "compare/generate/texts.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

settings::settings(std::span<const parameter> all) : all_(all) {
    for (const parameter& key : all) values_.push_back(key.usual);
}

std::uint64_t settings::operator[](std::string_view key) const {
    for (std::size_t at = 0; at < all_.size(); ++at) {
        if (all_[at].key == key) return values_[at];
    }
    return 0;
}

bool settings::read(std::string_view text, std::string& error) {
    std::vector<bool> given(all_.size());
    for (std::size_t from = 0;;) {
        const std::size_t comma = text.find(',', from);
        const bool last = comma == std::string_view::npos;
        const std::string_view part = text.substr(from, last ? comma : comma - from);
        if (!read_part(part, given, error)) return false;
        if (last) return true;
        from = comma + 1;
    }
}

bool settings::read_part(std::string_view part, std::vector<bool>& given, std::string& error) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
        error = filled(texts::no_parameter, {{"found", part.empty() ? std::string("nothing") : quoted(part)}});
        return false;
    }
    const std::string_view key = part.substr(0, equals);
    const std::string_view text = part.substr(equals + 1);
    std::size_t at = 0;
    while (at < all_.size() && all_[at].key != key) ++at;
    if (at == all_.size()) {
        const std::string nearest = nearest_words(key, all_, [](const parameter& entry) { return entry.key; });
        error = filled(texts::unknown_parameter, {{"key", quoted(key)}, {"nearest", nearest}, {"keys", keys()}});
        return false;
    }
    if (given[at]) {
        error = filled(texts::repeated_parameter, {{"key", quoted(key)}});
        return false;
    }
    std::uint64_t value = 0;
    const parameter& its = all_[at];
    if (!parse_size(text, value) || value < its.min_value || value > its.max_value) {
        error = filled(texts::value_out_of_range, {{"found", quoted(part)},
                                                   {"key", std::string(key)},
                                                   {"least", value_with_unit(its, its.min_value)},
                                                   {"most", value_with_unit(its, its.max_value)}});
        return false;
    }
    values_[at] = value;
    given[at] = true;
    return true;
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
