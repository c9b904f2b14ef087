#pragma once

/// Text on its way to a terminal.

#include <string>
#include <string_view>

namespace hbm::compare {

/// Returns the text without characters that steer a terminal, which the name of a file may contain: line ends and
/// tabulators stay, other control characters are escaped. Colours of tables stay if the text is `coloured`.
[[nodiscard]] std::string terminal_text(std::string_view text, bool coloured = false);

}  // namespace hbm::compare
