#include "compare/text/valid_text.hpp"

#include <hbm/explain/json_writer.hpp>

#include <cstddef>

namespace hbm {

std::string valid_text(std::string_view text) {
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = json_writer::valid_length(text, at);
        made += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(at, length);
        at += length == 0 ? 1 : length;
    }
    return made;
}

}  // namespace hbm
