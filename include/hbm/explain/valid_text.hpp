#pragma once

/// Texts of unknown origin for formats that are UTF-8.

#include <hbm/explain/json_writer.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace hbm {

/// The text in UTF-8: bytes that are not valid become the replacement character. Readers of such formats refuse a whole
/// file for a single wrong byte. O(length).
[[nodiscard]] inline std::string valid_text(std::string_view text) {
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = json_writer::valid_length(text, at);
        made += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(at, length);
        at += length == 0 ? 1 : length;
    }
    return made;
}

}  // namespace hbm
