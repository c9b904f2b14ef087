#include "compare/read/xla/read_shape.hpp"

namespace hbm::imported::xla {

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
