#pragma once

/// Text on its way to a terminal.

#include <string>
#include <string_view>

namespace hbm::compare {

/// The text without what steers a terminal, which the name of a file may have in it: line ends and
/// tabulators stay, other control characters are escaped. Of a text that is `coloured` the colours of tables stay.
[[nodiscard]] std::string for_people(std::string_view text, bool coloured = false);

}  // namespace hbm::compare
