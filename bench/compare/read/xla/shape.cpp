#include "compare/read/xla/shape.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported::xla {

namespace {

/// Returns the bytes of `elements` elements of the shape.
std::optional<std::uint64_t> bytes_of(const array_shape& shape, std::uint64_t elements) noexcept {
    const std::optional<std::uint64_t> entry = element_bytes(shape.element);
    if (!entry || *entry == 0) return entry;
    if (!round_up(elements, shape.alignment)) return std::nullopt;
    if (shape.element_bits == 0) return multiply(elements, *entry) ? std::optional(elements) : std::nullopt;
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
    for (const std::uint64_t entry : shape.dimensions)
        if (!multiply(count, entry)) return std::nullopt;
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
               : at < shape.minor_to_major.size() ? shape.dimensions[static_cast<std::size_t>(shape.minor_to_major[at])]
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

std::string without_layouts(std::string_view shape) {
    std::string result;
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
            result += shape[at];
        }
    }
    return result;
}

std::uint64_t devices_in(std::string_view sharding) {
    constexpr std::string_view mark = "devices=[";
    std::uint64_t most = 1;
    for (std::size_t at = sharding.find(mark); at != std::string_view::npos; at = sharding.find(mark, at + 1)) {
        text_cursor cursor(sharding, at + mark.size());
        std::uint64_t product = 1;
        std::uint64_t part = 0;
        do {
            if (!cursor.number(part) || part == 0 || !multiply(product, part)) return most;
        } while (cursor.accept(","));
        most = std::max(most, product);
    }
    return most;
}

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

bool shape_reader::read_array(array_shape& target) {
    array_shape shape;
    const std::size_t begin = cursor_.at();
    shape.element = cursor_.word();
    if (!element_bytes(shape.element)) {
        cursor_.go_to(begin);
        return fail("an element type such as f32, bf16, s32 or pred");
    }
    if (!read_dimensions(shape) || !read_layout(shape)) return false;
    if (!unpadded_bytes(shape) || !padded_bytes(shape)) return fail("an array of less than 2^64 bytes");
    target = std::move(shape);
    return true;
}

bool shape_reader::read_leaves(std::vector<shape_leaf>& target) {
    index_path index;  // index of the next element of each open tuple
    do {
        cursor_.skip_blanks();
        while (cursor_.accept("(")) {
            if (index.size() == max_tuple_depth) return fail("tuples nested at most 16 deep");
            index.push_back(0);
            cursor_.skip_blanks();
        }
        // A tuple without elements has just been opened if its end comes next.
        if (cursor_.next() != ')' || index.empty() || index.back() != 0) {
            if (target.size() == max_tuple_leaves) return fail("at most 50,000 arrays");
            const std::size_t begin = cursor_.at();
            shape_leaf leaf;
            leaf.index = index;
            if (!read_array(leaf.shape)) return false;
            leaf.text = cursor_.since(begin);
            target.push_back(std::move(leaf));
        }
        cursor_.skip_blanks();
        while (!index.empty() && cursor_.accept(")")) {
            index.pop_back();
            // Blanks after the whole shape are not part of it.
            if (!index.empty()) cursor_.skip_blanks();
        }
        if (index.empty()) return true;
        ++index.back();
    } while (cursor_.accept(","));
    return fail("a comma or the end of the tuple");
}

bool shape_reader::fail(std::string_view expected) noexcept {
    expected_ = expected;
    return false;
}

bool shape_reader::read_dimensions(array_shape& shape) {
    if (!cursor_.accept("[")) return fail("dimensions in square brackets");
    while (!cursor_.accept("]")) {
        if (!shape.dimensions.empty() && !cursor_.accept(",")) return fail("a comma or the end of the dimensions");
        cursor_.skip_blanks();
        cursor_.accept("<=");
        std::uint64_t length = 0;
        if (!cursor_.number(length)) return fail("the length of a dimension");
        shape.dimensions.push_back(length);
    }
    // Row-major unless a layout states otherwise.
    for (std::size_t at = shape.dimensions.size(); at != 0; --at) shape.minor_to_major.push_back(at - 1);
    return true;
}

bool shape_reader::read_layout(array_shape& shape) {
    if (cursor_.next() != '{' || !cursor_.accept("{")) return true;
    std::vector<std::uint64_t> order;
    while (cursor_.next() != ':' && cursor_.next() != '}') {
        std::uint64_t dimension = 0;
        if (!order.empty() && !cursor_.accept(",")) return fail("a comma, a colon or the end of the layout");
        if (!cursor_.number(dimension)) return fail("the number of a dimension, a colon or the end of the layout");
        order.push_back(dimension);
    }
    shape.has_layout = true;
    if (!order.empty() || !shape.dimensions.empty()) {
        std::vector<bool> seen(shape.dimensions.size(), false);
        bool is_order = order.size() == seen.size();
        for (std::size_t at = 0; is_order && at < order.size(); ++at) {
            is_order = order[at] < seen.size() && !seen[static_cast<std::size_t>(order[at])];
            if (is_order) seen[static_cast<std::size_t>(order[at])] = true;
        }
        if (!is_order) return fail("each dimension once, the most minor first");
        shape.minor_to_major = std::move(order);
    }
    if (cursor_.accept(":"))
        while (cursor_.next() != '}')
            if (!read_attribute(shape)) return false;
    return cursor_.accept("}") || fail("the end of the layout");
}

bool shape_reader::read_attribute(array_shape& shape) {
    const std::size_t begin = cursor_.at();
    const std::string_view name = cursor_.accept("#") || cursor_.accept("*") ? cursor_.since(begin) : cursor_.word();
    if (name.empty() || cursor_.next() != '(') return fail("an attribute of a layout, such as T(8,128) or S(1)");
    if (name == "T") return read_tiles(shape);
    if (name == "S") return read_number(shape.memory_space);
    if (name == "E") return read_number(shape.element_bits);
    if (name == "L") {
        if (!read_number(shape.alignment)) return false;
        return shape.alignment != 0 || fail("a number of elements above 0");
    }
    while (cursor_.next() == '(')
        if (!cursor_.skip_brackets()) return fail("brackets that are closed");
    return true;
}

bool shape_reader::read_number(std::uint64_t& target) {
    return (cursor_.accept("(") && cursor_.number(target) && cursor_.accept(")")) || fail("a number in brackets");
}

bool shape_reader::read_tiles(array_shape& shape) {
    for (bool is_first = true; cursor_.next() == '('; is_first = false) {
        if (!is_first) {
            if (!cursor_.skip_brackets()) return fail("brackets that are closed");
            continue;
        }
        cursor_.accept("(");
        while (!cursor_.accept(")")) {
            if (!shape.tile.empty() && !cursor_.accept(",")) return fail("a comma or the end of the tile");
            std::uint64_t number = joined_dimension;
            if (!cursor_.accept("*") && (!cursor_.number(number) || number == 0 || number == joined_dimension))
                return fail("a number above 0 or * in a tile");
            shape.tile.push_back(number);
        }
        if (shape.tile.empty() || shape.tile.back() == joined_dimension) return fail("a tile that ends in a number");
    }
    return true;
}

std::optional<array_shape> read_array_shape(std::string_view text) {
    shape_reader reader(text);
    array_shape shape;
    return reader.read_array(shape) && reader.at() == text.size() ? std::optional(std::move(shape)) : std::nullopt;
}

std::optional<std::vector<shape_leaf>> read_shape_leaves(std::string_view text) {
    shape_reader reader(text);
    std::vector<shape_leaf> leaves;
    return reader.read_leaves(leaves) && reader.at() == text.size() ? std::optional(std::move(leaves)) : std::nullopt;
}

}  // namespace hbm::imported::xla
