#include "compare/read/xla/shape_text.hpp"


#include <cstddef>

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
