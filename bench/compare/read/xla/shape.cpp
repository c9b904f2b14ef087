#include "compare/read/xla/shape.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "compare/read/xla/element_type.hpp"
#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported::xla {

namespace {

/// Returns the bytes of `elements` elements of the shape.
std::optional<std::uint64_t> bytes_of(const array_shape& shape, std::uint64_t elements) noexcept {
    const std::optional<std::uint64_t> each = element_bytes(shape.element);
    if (!each || *each == 0) return each;
    if (!round_up(elements, shape.alignment)) return std::nullopt;
    if (shape.element_bits == 0) return multiply(elements, *each) ? std::optional(elements) : std::nullopt;
    // The size of eight elements in bytes equals the size of one in bits.
    std::uint64_t bytes = elements / 8;
    if (!multiply(bytes, shape.element_bits)) return std::nullopt;
    std::uint64_t rest = elements % 8;
    if (!multiply(rest, shape.element_bits)) return std::nullopt;
    rest = rest / 8 + (rest % 8 != 0 ? 1U : 0U);
    return bytes > std::numeric_limits<std::uint64_t>::max() - rest ? std::nullopt : std::optional(bytes + rest);
}

}  // namespace

std::optional<std::uint64_t> element_count(const array_shape& shape) noexcept {
    if (std::find(shape.dimensions.begin(), shape.dimensions.end(), 0U) != shape.dimensions.end()) return 0;
    std::uint64_t count = 1;
    for (const std::uint64_t each : shape.dimensions)
        if (!multiply(count, each)) return std::nullopt;
    return count;
}

std::optional<std::uint64_t> unpadded_bytes(const array_shape& shape) noexcept {
    const std::optional<std::uint64_t> count = element_count(shape);
    return count ? bytes_of(shape, *count) : std::nullopt;
}

std::optional<std::uint64_t> padded_bytes(const array_shape& shape) noexcept {
    if (!shape.is_tiled()) return unpadded_bytes(shape);
    if (std::find(shape.dimensions.begin(), shape.dimensions.end(), 0U) != shape.dimensions.end())
        return bytes_of(shape, 0);
    const std::size_t rank = shape.dimensions.size();
    // Number `at` of the dimensions, counted from the most minor; missing ones count as 1.
    const auto dimension = [&](std::size_t at) {
        return at >= rank                         ? std::uint64_t{1}
               : at < shape.minor_to_major.size() ? shape.dimensions[shape.minor_to_major[at]]
                                                  : shape.dimensions[rank - 1 - at];
    };
    std::uint64_t elements = 1;
    std::size_t at = 0;
    for (; at < shape.tile.size(); ++at) {
        const std::uint64_t unit = shape.tile[shape.tile.size() - 1 - at];
        if (unit == joined_dimension) return std::nullopt;
        std::uint64_t length = dimension(at);
        while (at + 1 < shape.tile.size() && shape.tile[shape.tile.size() - 2 - at] == joined_dimension)
            if (!multiply(length, dimension(++at))) return std::nullopt;
        if (!round_up(length, unit) || !multiply(elements, length)) return std::nullopt;
    }
    for (; at < rank; ++at)
        if (!multiply(elements, dimension(at))) return std::nullopt;
    return bytes_of(shape, elements);
}

}  // namespace hbm::imported::xla

namespace hbm::imported::xla {

std::string without_layouts(std::string_view shape) {
    std::string made;
    std::size_t depth = 0;
    for (std::size_t at = 0; at < shape.size(); ++at) {
        if (depth == 0 && shape.substr(at, 2) == "/*") {
            const std::size_t end = shape.find("*/", at + 2);
            if (end == std::string_view::npos) break;
            at = end + 1;
        } else if (shape[at] == '{') {
            ++depth;
        } else if (shape[at] == '}') {
            depth -= depth == 0 ? 0U : 1U;
        } else if (depth == 0) {
            made += shape[at];
        }
    }
    return made;
}

}  // namespace hbm::imported::xla

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
    // Numbers beyond the dimensions: count of devices over which each part is repeated.
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
