#include "compare/read/xla/read_shape.hpp"

#include <utility>

#include "compare/read/xla/element_type.hpp"

namespace hbm::imported::xla {

bool shape_reader::read_array(array_shape& into) {
    array_shape shape;
    const std::size_t begin = cursor_.at();
    shape.element = cursor_.word();
    if (!element_bytes(shape.element)) {
        cursor_.go_to(begin);
        return fail("an element type such as f32, bf16, s32 or pred");
    }
    if (!read_dimensions(shape) || !read_layout(shape)) return false;
    if (!unpadded_bytes(shape) || !padded_bytes(shape)) return fail("an array of less than 2^64 bytes");
    into = std::move(shape);
    return true;
}

bool shape_reader::read_leaves(std::vector<shape_leaf>& into) {
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
            if (into.size() == max_tuple_leaves) return fail("at most 50,000 arrays");
            const std::size_t begin = cursor_.at();
            shape_leaf leaf;
            leaf.index = index;
            if (!read_array(leaf.shape)) return false;
            leaf.text = cursor_.since(begin);
            into.push_back(std::move(leaf));
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
            is_order = order[at] < seen.size() && !seen[order[at]];
            if (is_order) seen[order[at]] = true;
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

bool shape_reader::read_number(std::uint64_t& into) {
    return (cursor_.accept("(") && cursor_.number(into) && cursor_.accept(")")) || fail("a number in brackets");
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
