#include "compare/read/xla/sharding.hpp"

#include <cstdint>

#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported::xla {

std::optional<array_shape> share_of(const array_shape& whole, std::string_view sharding) {
    text_cursor cursor(sharding);
    if (!cursor.accept("{")) return std::nullopt;
    cursor.skip_blanks();
    // An array on a single device is whole there; manual shapes are shares already.
    if (cursor.accept("replicated") || cursor.accept("maximal") || cursor.accept("manual")) return whole;
    if (!cursor.accept("devices=[")) return std::nullopt;
    std::vector<std::uint64_t> parts;
    do {
        std::uint64_t part = 0;
        if (!cursor.number(part) || part == 0) return std::nullopt;
        parts.push_back(part);
    } while (cursor.accept(","));
    // Further numbers than dimensions say over how many devices each part is repeated.
    const bool is_repeated = cursor.rest().find("last_tile_dim") != std::string_view::npos;
    const std::size_t rank = whole.dimensions.size();
    if (!cursor.accept("]") || parts.size() < rank || (parts.size() > rank && !is_repeated)) return std::nullopt;
    array_shape share = whole;
    for (std::size_t at = 0; at < rank; ++at) {
        const std::uint64_t length = share.dimensions[at];
        share.dimensions[at] = length / parts[at] + (length % parts[at] != 0 ? 1U : 0U);
    }
    return share;
}

std::vector<std::string_view> shardings_in(std::string_view text, std::size_t count) {
    std::vector<std::string_view> all;
    text_cursor cursor(text);
    const bool is_list = cursor.accept("{") && (cursor.skip_blanks(), cursor.next() == '{');
    if (!is_list) return count == 1 ? std::vector<std::string_view>{text} : all;
    do {
        cursor.skip_blanks();
        const std::size_t begin = cursor.at();
        if (cursor.next() != '{' || !cursor.skip_brackets()) return {};
        all.push_back(cursor.since(begin));
        cursor.skip_blanks();
    } while (cursor.accept(",") && all.size() < count);
    if (!cursor.accept("}") || all.size() != count) return {};
    return all;
}

}  // namespace hbm::imported::xla
