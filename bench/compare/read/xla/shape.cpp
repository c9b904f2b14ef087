#include "compare/read/xla/shape.hpp"

#include <algorithm>
#include <utility>

namespace hbm::imported {

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

/// Returns the bytes of an element of the type that XLA prints as `name`; empty if there is no such type.
std::optional<std::uint64_t> element_bytes(std::string_view name) noexcept {
    struct element_type {
        std::string_view name;
        std::uint64_t bytes;
    };
    constexpr element_type types[] = {{"pred", 1}, {"s1", 1},  {"u1", 1},    {"s2", 1},    {"u2", 1},    {"s4", 1},
                                      {"u4", 1},   {"s8", 1},  {"u8", 1},    {"s16", 2},   {"u16", 2},   {"f16", 2},
                                      {"bf16", 2}, {"s32", 4}, {"u32", 4},   {"f32", 4},   {"s64", 8},   {"u64", 8},
                                      {"f64", 8},  {"c64", 8}, {"c128", 16}, {"token", 0}, {"opaque", 0}};
    // The formats of 8 bits and less have many names, f8e4m3fn and f4e2m1fn among them, and new ones come every year.
    if (name.starts_with("f8e") || name.starts_with("f6e") || name.starts_with("f4e")) return 1;
    for (const element_type& each : types)
        if (each.name == name) return each.bytes;
    return std::nullopt;
}

/// Multiplies; returns false if the product needs more than 64 bits.
bool multiply(std::uint64_t& product, std::uint64_t by) noexcept {
    if (by != 0 && product > most / by) return false;
    product *= by;
    return true;
}

/// Returns the bytes of `elements` elements of the shape.
std::optional<std::uint64_t> bytes_of(const array_shape& shape, std::uint64_t elements) noexcept {
    const std::optional<std::uint64_t> entry = element_bytes(shape.element);
    if (!entry || *entry == 0) return entry;
    if (!round_up(elements, shape.alignment)) return std::nullopt;
    if (shape.element_bits == 0) return multiply(elements, *entry) ? std::optional(elements) : std::nullopt;
    // The size of eight elements in bytes equals the size of one in bits.
    std::uint64_t bytes = elements / 8;
    std::uint64_t rest = elements % 8;
    if (!multiply(bytes, shape.element_bits) || !multiply(rest, shape.element_bits)) return std::nullopt;
    rest = rest / 8 + (rest % 8 != 0 ? 1U : 0U);
    return bytes > most - rest ? std::nullopt : std::optional(bytes + rest);
}

bool has_no_elements(const array_shape& shape) noexcept {
    return std::find(shape.dimensions.begin(), shape.dimensions.end(), 0U) != shape.dimensions.end();
}

}  // namespace

bool round_up(std::uint64_t& number, std::uint64_t unit) noexcept {
    if (unit == 0) return false;
    std::uint64_t count = number / unit + (number % unit != 0 ? 1U : 0U);
    if (!multiply(count, unit)) return false;
    number = count;
    return true;
}

std::optional<std::uint64_t> unpadded_bytes(const array_shape& shape) noexcept {
    if (has_no_elements(shape)) return bytes_of(shape, 0);
    std::uint64_t count = 1;
    for (const std::uint64_t entry : shape.dimensions)
        if (!multiply(count, entry)) return std::nullopt;
    return bytes_of(shape, count);
}

std::optional<std::uint64_t> padded_bytes(const array_shape& shape) noexcept {
    if (!shape.is_tiled() || has_no_elements(shape)) return unpadded_bytes(shape);
    const std::size_t rank = shape.dimensions.size();
    // Number `at` of the dimensions, counted from the most minor; missing ones count as 1.
    const auto dimension = [&](std::size_t at) {
        if (at >= rank) return std::uint64_t{1};
        const bool is_ordered = at < shape.minor_to_major.size();
        return shape.dimensions[is_ordered ? static_cast<std::size_t>(shape.minor_to_major[at]) : rank - 1 - at];
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

namespace {

/// Steps over the numbers of `devices=[2,1,4]`, up to the end of those that are above 0.
std::vector<std::uint64_t> take_parts(text_cursor& cursor) {
    std::vector<std::uint64_t> parts;
    std::uint64_t part = 0;
    do {
        if (!cursor.number(part) || part == 0) break;
        parts.push_back(part);
    } while (cursor.accept(","));
    return parts;
}

constexpr std::string_view devices_mark = "devices=[";

}  // namespace

std::uint64_t devices_in(std::string_view sharding) {
    std::uint64_t largest = 1;
    for (std::size_t at = sharding.find(devices_mark); at != std::string_view::npos;
         at = sharding.find(devices_mark, at + 1)) {
        text_cursor cursor(sharding, at + devices_mark.size());
        std::uint64_t product = 1;
        for (const std::uint64_t part : take_parts(cursor))
            if (!multiply(product, part)) return largest;
        if (!cursor.accept("]")) return largest;
        largest = std::max(largest, product);
    }
    return largest;
}

std::optional<array_shape> share_of(const array_shape& whole, std::string_view sharding) {
    text_cursor cursor(sharding);
    if (!cursor.accept("{")) return std::nullopt;
    cursor.skip_blanks();
    // An array on a single device is whole there; manual shapes are shares already.
    if (cursor.accept("replicated") || cursor.accept("maximal") || cursor.accept("manual")) return whole;
    if (!cursor.accept(devices_mark)) return std::nullopt;
    const std::vector<std::uint64_t> parts = take_parts(cursor);
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
    cursor.accept("{");
    cursor.skip_blanks();
    if (cursor.next() != '{') return count == 1 ? std::vector<std::string_view>{text} : all;
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

namespace {

void take_dimensions(text_cursor& cursor, array_shape& shape) {
    cursor.expect("[", "dimensions in square brackets");
    while (!cursor.accept("]")) {
        if (!shape.dimensions.empty()) cursor.expect(",", "a comma or the end of the dimensions");
        cursor.skip_blanks();
        cursor.accept("<=");
        shape.dimensions.push_back(cursor.take_number("the length of a dimension"));
    }
    // Row-major unless a layout states otherwise.
    for (std::size_t at = shape.dimensions.size(); at != 0; --at) shape.minor_to_major.push_back(at - 1);
}

void take_tiles(text_cursor& cursor, array_shape& shape) {
    cursor.accept("(");
    while (!cursor.accept(")")) {
        if (!shape.tile.empty()) cursor.expect(",", "a comma or the end of the tile");
        std::uint64_t number = joined_dimension;
        if (!cursor.accept("*") && (!cursor.number(number) || number == 0 || number == joined_dimension))
            cursor.fail("a number above 0 or * in a tile");
        shape.tile.push_back(number);
    }
    if (shape.tile.empty() || shape.tile.back() == joined_dimension) cursor.fail("a tile that ends in a number");
}

std::uint64_t take_bracketed(text_cursor& cursor) {
    constexpr const char* meaning = "a number in brackets";
    cursor.expect("(", meaning);
    const std::uint64_t number = cursor.take_number(meaning);
    cursor.expect(")", meaning);
    return number;
}

/// Steps over one of T(8,128)(2,1), S(1), E(4), L(128), or another one, which does not affect bytes.
void take_attribute(text_cursor& cursor, array_shape& shape) {
    const std::size_t begin = cursor.at();
    const std::string_view name = cursor.accept("#") || cursor.accept("*") ? cursor.since(begin) : cursor.word();
    if (name.empty() || cursor.next() != '(') cursor.fail("an attribute of a layout, such as T(8,128) or S(1)");
    if (name == "S") {
        shape.memory_space = take_bracketed(cursor);
    } else if (name == "E") {
        shape.element_bits = take_bracketed(cursor);
    } else if (name == "L") {
        shape.alignment = take_bracketed(cursor);
        if (shape.alignment == 0) cursor.fail("a number of elements above 0");
    } else if (name == "T") {
        take_tiles(cursor, shape);
    }
    while (cursor.next() == '(')
        if (!cursor.skip_brackets()) cursor.fail("brackets that are closed");
}

bool is_order(const std::vector<std::uint64_t>& order) {
    std::vector<bool> seen(order.size(), false);
    for (const std::uint64_t each : order) {
        if (each >= seen.size() || seen[static_cast<std::size_t>(each)]) return false;
        seen[static_cast<std::size_t>(each)] = true;
    }
    return true;
}

void take_layout(text_cursor& cursor, array_shape& shape) {
    if (!cursor.accept("{")) return;
    std::vector<std::uint64_t> order;
    while (cursor.next() != ':' && cursor.next() != '}') {
        if (!order.empty()) cursor.expect(",", "a comma, a colon or the end of the layout");
        order.push_back(cursor.take_number("the number of a dimension, a colon or the end of the layout"));
    }
    if (order.size() != shape.dimensions.size() || !is_order(order))
        cursor.fail("each dimension once, the most minor first");
    shape.minor_to_major = std::move(order);
    if (cursor.accept(":"))
        while (cursor.next() != '}') take_attribute(cursor, shape);
    cursor.expect("}", "the end of the layout");
}

template <class Take>
auto whole_or_nothing(std::string_view text, Take take) -> std::optional<decltype(take(std::declval<text_cursor&>()))> {
    try {
        text_cursor cursor(text);
        auto value = take(cursor);
        if (cursor.done()) return value;
    } catch (const text_mistake&) {
    }
    return std::nullopt;
}

}  // namespace

array_shape take_array(text_cursor& cursor) {
    array_shape shape;
    text_cursor ahead = cursor;
    shape.element = ahead.word();
    if (!element_bytes(shape.element)) cursor.fail("an element type such as f32, bf16, s32 or pred");
    cursor = ahead;
    take_dimensions(cursor, shape);
    take_layout(cursor, shape);
    if (!unpadded_bytes(shape) || !padded_bytes(shape)) cursor.fail("an array of less than 2^64 bytes");
    return shape;
}

std::vector<shape_leaf> take_leaves(text_cursor& cursor) {
    std::vector<shape_leaf> leaves;
    index_path index;  // index of the next element of each open tuple
    do {
        cursor.skip_blanks();
        while (cursor.accept("(")) {
            if (index.size() == max_tuple_depth) cursor.fail("tuples nested at most 16 deep");
            index.push_back(0);
            cursor.skip_blanks();
        }
        // A tuple without elements has just been opened if its end comes next.
        if (cursor.next() != ')' || index.empty() || index.back() != 0) {
            if (leaves.size() == max_tuple_leaves) cursor.fail("at most 50,000 arrays");
            const std::size_t begin = cursor.at();
            array_shape shape = take_array(cursor);
            leaves.push_back({index, std::move(shape), std::string(cursor.since(begin))});
        }
        cursor.skip_blanks();
        while (!index.empty() && cursor.accept(")")) {
            index.pop_back();
            // Blanks after the whole shape are not part of it.
            if (!index.empty()) cursor.skip_blanks();
        }
        if (index.empty()) return leaves;
        ++index.back();
    } while (cursor.accept(","));
    cursor.fail("a comma or the end of the tuple");
}

std::optional<array_shape> read_array_shape(std::string_view text) {
    return whole_or_nothing(text, take_array);
}

std::optional<std::vector<shape_leaf>> read_shape_leaves(std::string_view text) {
    return whole_or_nothing(text, take_leaves);
}

}  // namespace hbm::imported
