#pragma once

/// Texts of unknown origin for formats that are UTF-8.

#include <string>
#include <string_view>

namespace hbm {

/// Returns the text in UTF-8: bytes that are not valid become the replacement character. Readers of such formats refuse
/// a whole file for a single wrong byte. Cost: O(length).
[[nodiscard]] std::string valid_text(std::string_view text);

}  // namespace hbm
